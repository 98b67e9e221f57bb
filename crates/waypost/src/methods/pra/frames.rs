//! The frame model of the paper's equation 1: how long a walk takes when planning shares the frames of a game.
//!
//! A unit plans its first move sequence standing still, walks each sequence while it plans the next, and stands where the
//! plan is not ready when the sequence ends. Planning gets a fixed part of every frame. With one sequence this is s-A* or
//! s-PRA* (all planning first, spread over frames), with several it is PRA*(k).

/// The clock of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameModel {
    /// The paper's t_m: the most time of a frame that a unit's planning may take, in milliseconds.
    pub planning_ms: f64,
    /// The paper's t_f: the period of frames in milliseconds.
    pub frame_ms: f64,
    /// The paper's s: cells a second.
    pub speed: f64,
}

/// The paper's setting but for the planning time: ten frames a second, ten cells a second.
impl FrameModel {
    /// With so much planning per frame.
    pub const fn with_planning_ms(planning_ms: f64) -> FrameModel {
        FrameModel {
            planning_ms,
            frame_ms: 100.0,
            speed: 10.0,
        }
    }

    /// Equation 1: frames until the unit has walked all sequences; 0 where there are none.
    pub fn frames(&self, sequences: &[MoveSequence]) -> u64 {
        let Some((first, last)) = sequences.first().zip(sequences.last()) else {
            return 0;
        };
        let between: u64 = sequences
            .windows(2)
            .map(|pair| self.thinking(&pair[1]).max(self.walking(pair[0].length)))
            .sum();
        self.thinking(first) + between + self.walking(last.length)
    }

    /// Equation 1 without thought: what the paper holds execution times against.
    pub fn frames_without_thought(&self, sequences: &[MoveSequence]) -> u64 {
        sequences
            .iter()
            .map(|sequence| self.walking(sequence.length))
            .sum()
    }

    /// The least number of frames for a path of this length: walking alone.
    pub fn walking(&self, length: f64) -> u64 {
        frames_of(length, self.speed * self.frame_ms / 1000.0)
    }

    fn thinking(&self, sequence: &MoveSequence) -> u64 {
        frames_of(sequence.planning_ms, self.planning_ms)
    }
}

/// Moves that are planned together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveSequence {
    /// The paper's t_i: the time that planning took, in milliseconds.
    pub planning_ms: f64,
    /// The paper's l_i: the length of the sequence in cells.
    pub length: f64,
}

/// `amount / per_frame`, rounded up. What rounding errors leave over is not worth a frame.
fn frames_of(amount: f64, per_frame: f64) -> u64 {
    (amount / per_frame - 1e-9).ceil().max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(planning_ms: f64, length: f64) -> MoveSequence {
        MoveSequence {
            planning_ms,
            length,
        }
    }

    #[test]
    fn one_sequence_is_planned_before_it_is_walked() {
        let model = FrameModel::with_planning_ms(2.0);
        assert_eq!(model.frames(&[sequence(5.0, 10.0)]), 3 + 10);
        assert_eq!(model.frames(&[sequence(0.1, 10.2)]), 1 + 11);
        assert_eq!(model.frames(&[]), 0);
    }

    #[test]
    fn planning_hides_behind_walking_where_it_is_shorter() {
        let model = FrameModel::with_planning_ms(1.0);
        // 2 frames of thought, then 8 of walking while 3 are thought, then 4 of walking while 9 are thought, then 5.
        let sequences = [sequence(2.0, 8.0), sequence(3.0, 4.0), sequence(9.0, 5.0)];
        assert_eq!(model.frames(&sequences), 2 + 8 + 9 + 5);
        assert_eq!(model.frames_without_thought(&sequences), 8 + 4 + 5);
    }

    #[test]
    fn speed_and_period_set_the_cells_of_a_frame() {
        let model = FrameModel {
            planning_ms: 1.0,
            frame_ms: 50.0,
            speed: 10.0,
        };
        assert_eq!(model.walking(10.0), 20);
    }
}
