//! The use cases on a real SQLite file, with the world around it under control.

mod intercepted;

mod world;

mod jobs;

mod takeover;

mod lost_answers;

mod corrections;

mod photos;

mod catch_up;

mod operator;

mod verifying;
