//! What scenes, editors and save games expect of components.

use crate::stage::*;
use bevy_ecs::reflect::{AppTypeRegistry, ReflectComponent, ReflectResource};
use bevy_math::{UVec2, Vec2, Vec3};
use bevy_reflect::serde::{TypedReflectDeserializer, TypedReflectSerializer};
use bevy_reflect::{GetTypeRegistration, Reflect, TypeRegistry};
use bevy_waypost::prelude::*;
use serde::de::DeserializeSeed;
use serde::{Serialize, de::DeserializeOwned};

fn registry(app: &bevy_app::App) -> std::sync::Arc<AppTypeRegistry> {
    std::sync::Arc::new(app.world().resource::<AppTypeRegistry>().clone())
}

#[test]
fn types_are_registered_as_components_and_resources() {
    let app = app();
    let registry = registry(&app);
    let registry = registry.read();
    let is_component = |id| registry.get_type_data::<ReflectComponent>(id).is_some();
    for (id, name) in [
        (std::any::TypeId::of::<Walker>(), "Walker"),
        (std::any::TypeId::of::<Goal>(), "Goal"),
        (std::any::TypeId::of::<Obstacle>(), "Obstacle"),
        (std::any::TypeId::of::<NavProfile>(), "NavProfile"),
        (std::any::TypeId::of::<InMap>(), "InMap"),
    ] {
        assert!(is_component(id), "{name}");
    }
    let settings = std::any::TypeId::of::<NavSettings>();
    assert!(
        registry
            .get_type_data::<ReflectResource>(settings)
            .is_some()
    );
}

/// Through reflection and back, and through serde and back.
fn round_trip<T>(registry: &TypeRegistry, value: &T)
where
    T: Reflect
        + bevy_reflect::FromReflect
        + GetTypeRegistration
        + Serialize
        + DeserializeOwned
        + std::fmt::Debug,
{
    let text =
        serde_json::to_string(&TypedReflectSerializer::new(value, registry)).expect("written");
    let registration = registry
        .get(std::any::TypeId::of::<T>())
        .expect("registered");
    let seed = TypedReflectDeserializer::new(registration, registry);
    let read = seed
        .deserialize(&mut serde_json::Deserializer::from_str(&text))
        .expect("read");
    let read = <T as bevy_reflect::FromReflect>::from_reflect(&*read).expect("the type");
    assert_eq!(format!("{read:?}"), format!("{value:?}"), "{text}");
    let text = serde_json::to_string(value).expect("written");
    let read: T = serde_json::from_str(&text).expect("read");
    assert_eq!(format!("{read:?}"), format!("{value:?}"), "{text}");
}

#[test]
fn values_survive_being_written_and_read() {
    let app = app();
    let registry = registry(&app);
    let registry = registry.read();
    for goal in [
        Goal::None,
        Goal::Cell(UVec2::new(3, 4)),
        Goal::Position(Vec3::new(1.5, -2.0, 0.0)),
        Goal::Area {
            corner: UVec2::ONE,
            size: UVec2::new(4, 2),
        },
        Goal::Within {
            cell: UVec2::ONE,
            cells: 9,
        },
    ] {
        round_trip(&registry, &goal);
    }
    round_trip(&registry, &Obstacle::rectangle(2.0, 3.5));
    round_trip(&registry, &Obstacle::disc(0.75));
    round_trip(&registry, &NavProfile::new("tank", 3));
    round_trip(&registry, &Walker::slow(4));
    round_trip(&registry, &NavSettings::default());
    let grid = GridTransform::flat(Vec2::new(1.0, 2.0), 3.0);
    round_trip(&registry, &grid);
}

#[test]
fn what_is_told_and_covered_can_be_looked_up() {
    let app = app();
    let registry = registry(&app);
    let registry = registry.read();
    for name in [
        "Arrived",
        "Unreachable",
        "Waiting",
        "Blocked",
        "Freed",
        "IndexRenewed",
        "NavMapReady",
        "NavMapFailed",
        "Covered",
    ] {
        assert!(registry.get_with_short_type_path(name).is_some(), "{name}");
    }
}
