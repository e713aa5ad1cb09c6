//! The classes in a jar; what is no archive, or is cut off, has none, as for Java.

use std::io::{Cursor, Read};

use zip::ZipArchive;

/// The contents of all class files but those for single versions of Java.
pub(super) fn class_files(jar: &[u8]) -> Vec<Vec<u8>> {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(jar)) else { return vec![] };
    let is_class = |name: &str| {
        name.rsplit_once('.').is_some_and(|(_, ending)| ending == "class") && !name.starts_with("META-INF/")
    };
    let mut files = Vec::new();
    for at in 0..archive.len() {
        let Ok(mut file) = archive.by_index(at) else { continue };
        let mut contents = Vec::new();
        let is_wanted = file.name().is_ok_and(|name| is_class(&name));
        if is_wanted && file.read_to_end(&mut contents).is_ok() {
            files.push(contents);
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn jar() -> Vec<u8> {
        let mut jar = ZipWriter::new(Cursor::new(Vec::new()));
        for name in ["META-INF/versions/21/acme/A.class", "acme/A.class", "acme/a.txt"] {
            jar.start_file(name, SimpleFileOptions::default()).unwrap();
            jar.write_all(name.as_bytes()).unwrap();
        }
        jar.finish().unwrap().into_inner()
    }

    #[test]
    fn classes_for_all_versions_of_java_are_read() {
        assert_eq!(class_files(&jar()), [b"acme/A.class"]);
    }

    #[test]
    fn what_is_no_archive_or_is_cut_off_has_no_classes() {
        let whole = jar();
        for bytes in [&b""[..], b"PK", &whole[..whole.len() - 1], &whole[whole.len() / 2..whole.len() - 30]] {
            assert_eq!(class_files(bytes), [[0; 0]; 0]);
        }
    }
}
