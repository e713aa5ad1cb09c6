//! Makes bad input out of good input: what bit rot, careless hands and hostile tests would send.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// One of `seeds`, changed a few times, or not at all.
pub(crate) fn mutated(seeds: &[Vec<u8>], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = seeds.choose(random).expect("there are seeds").clone();
    for _ in 0..random.random_range(0..=4) {
        mutate(&mut bytes, seeds, random);
    }
    bytes
}

fn mutate(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut ChaCha8Rng) {
    match random.random_range(0..9) {
        0 => flip_bit(bytes, random),
        1 => truncate(bytes, random),
        2 => splice(bytes, seeds, random),
        3 => replace_byte(bytes, random),
        4 => break_utf8(bytes, random),
        5 => double_a_part(bytes, random),
        6 => nest(bytes, random),
        7 => write_huge_number(bytes, random),
        _ => copy_elsewhere(bytes, random),
    }
}

/// `body` behind its length, which is now and then a lie.
pub(crate) fn framed(body: &[u8], random: &mut ChaCha8Rng) -> Vec<u8> {
    let length = u32::try_from(body.len()).expect("messages are short");
    let told = match random.random_range(0..32) {
        0 => length.wrapping_add(random.random_range(0..16)).wrapping_sub(8),
        1 => random.random(),
        2 => *[0, 1, 16 << 20, (16 << 20) + 1, 256 << 20, i32::MAX as u32, u32::MAX]
            .choose(random)
            .unwrap_or(&0),
        3 => length.swap_bytes(),
        _ => length,
    };
    [&told.to_be_bytes(), body].concat()
}

fn flip_bit(bytes: &mut [u8], random: &mut ChaCha8Rng) {
    if let Some(byte) = place(bytes, random).and_then(|at| bytes.get_mut(at)) {
        *byte ^= 1 << random.random_range(0..8);
    }
}

fn truncate(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    bytes.truncate(random.random_range(0..=bytes.len()));
}

fn splice(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut ChaCha8Rng) {
    let other = seeds.choose(random).expect("there are seeds");
    bytes.truncate(random.random_range(0..=bytes.len()));
    bytes.extend_from_slice(&other[random.random_range(0..=other.len())..]);
}

/// With one that means something in JSON or TOML.
fn replace_byte(bytes: &mut [u8], random: &mut ChaCha8Rng) {
    let new = *b"\"'\\[]{}:,=.#-+eE0_ \n\r\t\0\x7f".choose(random).expect("there are some");
    if let Some(byte) = place(bytes, random).and_then(|at| bytes.get_mut(at)) {
        *byte = new;
    }
}

fn break_utf8(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    const BROKEN: [&[u8]; 7] =
        [b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\\ud800", b"\xef\xbb\xbf"];
    insert(bytes, BROKEN.choose(random).expect("there are some"), random);
}

/// A key, an item or a line stands there twice.
fn double_a_part(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    let ends: Vec<usize> =
        (0..bytes.len()).filter(|&at| matches!(bytes[at], b',' | b'\n' | b'{' | b'[')).collect();
    let Some(from) = ends.choose(random).map(|end| end + 1) else { return };
    let to = ends.iter().find(|&&end| end >= from).map_or(bytes.len(), |end| end + 1);
    let part = bytes[from..to].to_vec();
    bytes.splice(from..from, part);
}

fn nest(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    const OPENINGS: [&str; 6] = ["[", "{\"a\":", "{a=", "a.", "[[", "{\"say\":\"ran\",\"gained\":"];
    let deep = if random.random_ratio(1, 500) { 100_000 } else { 200 };
    let opening = OPENINGS.choose(random).expect("there are some").repeat(random.random_range(1..=deep));
    insert(bytes, opening.as_bytes(), random);
}

fn write_huge_number(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    const NUMBERS: [&str; 12] = [
        "-1",
        "4294967296",
        "9223372036854775808",
        "18446744073709551616",
        "1e308",
        "1e999",
        "-1e999",
        "NaN",
        "inf",
        "0.00000000000000000000000000000000000000000001",
        "99999999999999999999999999999999999999999999999h",
        "1e-999",
    ];
    let Some(from) =
        place(bytes, random).and_then(|at| (at..bytes.len()).find(|&at| bytes[at].is_ascii_digit()))
    else {
        return;
    };
    let to = (from..bytes.len()).find(|&at| !bytes[at].is_ascii_digit()).unwrap_or(bytes.len());
    bytes.splice(from..to, NUMBERS.choose(random).expect("there are some").bytes());
}

fn copy_elsewhere(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    let Some(from) = place(bytes, random) else { return };
    let to = random.random_range(from..=bytes.len());
    let part = bytes[from..to].repeat(random.random_range(1..=8));
    insert(bytes, &part, random);
}

fn place(bytes: &[u8], random: &mut ChaCha8Rng) -> Option<usize> {
    (!bytes.is_empty()).then(|| random.random_range(0..bytes.len()))
}

fn insert(bytes: &mut Vec<u8>, new: &[u8], random: &mut ChaCha8Rng) {
    let at = random.random_range(0..=bytes.len());
    bytes.splice(at..at, new.iter().copied());
}
