//! Progress bars: on standard error, only where that is a terminal, and only for work that takes more than a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::RwLock;
use std::time::{Duration, Instant};
use waypost::progress::Progress;

const PATIENCE: Duration = Duration::from_secs(1);

/// Draws the stages of a piece of work.
#[derive(Default)]
pub struct Bar {
    stage: RwLock<Option<Stage>>,
}

struct Stage {
    bar: ProgressBar,
    begun: Instant,
}

impl Progress for Bar {
    fn begin(&self, stage: &str, total: u64) {
        self.finish();
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let style =
            ProgressStyle::with_template("{msg:<24} {wide_bar} {human_pos}/{human_len} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(stage.to_string());
        if let Ok(mut current) = self.stage.write() {
            *current = Some(Stage {
                bar,
                begun: Instant::now(),
            });
        }
    }

    fn advance(&self, parts: u64) {
        let Ok(current) = self.stage.read() else {
            return;
        };
        if let Some(stage) = current.as_ref() {
            if stage.bar.is_hidden() && stage.begun.elapsed() > PATIENCE {
                stage.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            stage.bar.inc(parts);
        }
    }
}

impl Bar {
    fn finish(&self) {
        if let Ok(mut current) = self.stage.write()
            && let Some(stage) = current.take()
        {
            stage.bar.finish_and_clear();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.finish();
    }
}
