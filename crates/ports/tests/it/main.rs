//! The reference model under the contract, and through long random lives.

mod contract {
    fencepost_ports::contract_tests!(fencepost_ports::contract::MemoryBackend);
}

mod histories;

mod stand_ins;
