//! Whatever happens to the reference model, it stays sound.

use fencepost_ports::contract::{MemoryBackend, agree};

#[tokio::test]
async fn no_history_leaves_the_model_unsound() {
    for seed in 0..60 {
        agree(&MemoryBackend, &MemoryBackend, seed, 120).await;
    }
}
