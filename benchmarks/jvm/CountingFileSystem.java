/** The local file system under the scheme `counted`, which counts the bytes that its readers ask for and get. */
package shreddedvariant.bench;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

public final class CountingFileSystem extends RawLocalFileSystem {
    private static final AtomicLong BYTES = new AtomicLong();

    /** Bytes since the last call. Read-ahead and checksums of the real file system are not among them. */
    public static long take() {
        return BYTES.getAndSet(0);
    }

    @Override
    public String getScheme() {
        return "counted";
    }

    @Override
    public URI getUri() {
        return URI.create("counted:///");
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return new FSDataInputStream(new Counted(super.open(path, bufferSize)));
    }

    /** Only the plain reads are passed on; vectored ones fall back to them, range by range. */
    private static final class Counted extends FSInputStream {
        private final FSDataInputStream in;

        Counted(FSDataInputStream in) {
            this.in = in;
        }

        private static int count(int read) {
            if (read > 0) BYTES.addAndGet(read);
            return read;
        }

        @Override
        public int read() throws IOException {
            int b = in.read();
            if (b >= 0) BYTES.incrementAndGet();
            return b;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            return count(in.read(to, offset, length));
        }

        @Override
        public int read(long position, byte[] to, int offset, int length) throws IOException {
            return count(in.read(position, to, offset, length));
        }

        @Override
        public void seek(long position) throws IOException {
            in.seek(position);
        }

        @Override
        public long getPos() throws IOException {
            return in.getPos();
        }

        @Override
        public boolean seekToNewSource(long position) {
            return false;
        }

        @Override
        public int available() throws IOException {
            return in.available();
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
