package shreddedvariant;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** The local file system for tests: Hadoop's starts a process `chmod` for each file and folder, this one does not. */
public final class QuickLocalFileSystem extends LocalFileSystem {
    public QuickLocalFileSystem() {
        super(new Raw());
    }

    /** Makes this the local file system of the process: Hadoop keeps the first one that is asked for. */
    public static void use() throws IOException {
        Configuration conf = new Configuration(false);
        conf.setClass("fs.file.impl", QuickLocalFileSystem.class, FileSystem.class);
        FileSystem.get(URI.create("file:///"), conf);
    }

    /** Without checksums. */
    public static class Raw extends RawLocalFileSystem {
        @Override
        public void setPermission(Path path, FsPermission permission) throws IOException {
            String letters = permission.getUserAction().SYMBOL
                    + permission.getGroupAction().SYMBOL
                    + permission.getOtherAction().SYMBOL;
            Files.setPosixFilePermissions(pathToFile(path).toPath(), PosixFilePermissions.fromString(letters));
        }
    }
}
