#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    anyorder_testkit::probe::wire(bytes);
});
