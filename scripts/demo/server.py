"""The server of the walk: started on free ports of the loopback, killed, started again.

Ends only the process that it started.
"""

import pathlib
import socket
import subprocess
import tempfile
import time
import urllib.request


class Server:
    def __init__(self, binary: str, policy: str):
        self.binary = binary
        self.policy = policy
        self.directory = tempfile.TemporaryDirectory(prefix="onced-demo-")
        self.address = f"127.0.0.1:{free_port()}"
        self.admin = f"127.0.0.1:{free_port()}"
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
        self.directory.cleanup()

    def start(self):
        directory = pathlib.Path(self.directory.name)
        self.log = directory / "log"
        arguments = ["serve", "--dev", "--listen", self.address, "--admin", self.admin]
        arguments += ["--data", str(directory / "data"), "--policy", self.policy]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([self.binary, *arguments], stdout=log, stderr=log)
        self.wait_until_ready()

    def wait_until_ready(self):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and self.process.poll() is None:
            if self.is_ready():
                return
            time.sleep(0.05)
        raise SystemExit(f"the server did not start:\n{self.log.read_text()}")

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://{self.admin}/readyz", timeout=1) as answer:
                return answer.status == 200
        except OSError:
            return False

    def kill(self):
        """The hardest end there is: no handler runs, nothing is flushed."""
        self.process.kill()
        self.process.wait()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
