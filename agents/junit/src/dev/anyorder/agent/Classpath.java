package dev.anyorder.agent;

import java.io.File;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/** Class paths as lists of files. */
final class Classpath {
    private Classpath() {}

    /**
     * The files that a class path names, jars that hold nothing but a {@code Class-Path} replaced by what they name.
     */
    static List<String> resolve(String path) {
        Set<String> files = new LinkedHashSet<String>();
        for (String entry : path.split(File.pathSeparator)) {
            if (!entry.isEmpty()) {
                File file = new File(entry).getAbsoluteFile();
                List<String> named = namedInManifest(file);
                files.addAll(named);
                if (named.isEmpty()) {
                    files.add(file.getPath());
                }
            }
        }
        return new ArrayList<String>(files);
    }

    private static List<String> namedInManifest(File jar) {
        List<String> named = new ArrayList<String>();
        if (!jar.isFile()) {
            return named;
        }
        try (JarFile file = new JarFile(jar)) {
            Manifest manifest = file.getManifest();
            String path = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            if (path != null && file.size() <= 2) { // the manifest, and its directory
                for (String url : path.trim().split(" +")) {
                    named.add(new File(jar.toURI().resolve(new URI(url))).getPath());
                }
            }
        } catch (Exception noJar) {
            named.clear();
        }
        return named;
    }

    /** The directories of this JVM's class path: where the project's own classes are. */
    static List<File> directories() {
        List<File> directories = new ArrayList<File>();
        for (String entry : resolve(System.getProperty("java.class.path", ""))) {
            File file = new File(entry);
            if (file.isDirectory()) {
                directories.add(file);
            }
        }
        return directories;
    }
}
