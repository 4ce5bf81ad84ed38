"""Calls of the walk: each request and its answer are printed as they are sent, in JSON."""

import json
import shutil
import subprocess
import time

import command_line


class Answer:
    """A response, or the status of a refusal."""

    def __init__(self, message: dict):
        self.message = message

    def get(self, path: str):
        """The value at `a.b.0.c`; none where there is no such thing."""
        found = self.message
        for name in path.split("."):
            if isinstance(found, list):
                found = found[int(name)] if int(name) < len(found) else None
            else:
                found = (found or {}).get(name)
        return found

    def reason(self):
        details = self.message.get("details", [])
        return next((d["reason"] for d in details if d.get("domain") == "onced.v1"), None)

    def expect(self, what: str, is_so: bool):
        if not is_so:
            raise SystemExit(f"\nWRONG: expected: {what}")
        print(f"  -> {what}")

    def expect_refused(self, reason: str):
        self.expect(reason, self.reason() == reason)


class Calls:
    def __init__(self, binary: str, address: str):
        self.binary = binary
        self.address = address

    def call(self, method: str, request: dict) -> Answer:
        print(f"\n  {method} {json.dumps(request)}")
        answer = self.send(method, request)
        for line in json.dumps(answer.message, indent=2).splitlines():
            print(f"    {line}")
        return answer

    def send(self, method: str, request: dict) -> Answer:
        command = self.command(method, request)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        try:
            return Answer(json.loads(done.stdout or done.stderr))
        except json.JSONDecodeError:
            raise SystemExit(f"{method}: no JSON came:\n{done.stdout}{done.stderr}") from None

    def command(self, method: str, request: dict) -> list[str]:
        if not shutil.which("grpcurl"):
            said = command_line.words(method, request)
            return [self.binary, *said, "--endpoint", f"http://{self.address}", "--output", "json"]
        options = ["-plaintext", "-format-error", "-max-time", "10", "-d", json.dumps(request)]
        return ["grpcurl", *options, self.address, f"onced.v1.ClaimService/{method}"]

    def wait_until(self, what: str, method: str, request: dict, is_so) -> Answer:
        """Asks again, unprinted, until it is so."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            answer = self.send(method, request)
            if is_so(answer):
                print(f"\n  (waited for {what})")
                return answer
            time.sleep(0.2)
        raise SystemExit(f"\nWRONG: never came: {what}")
