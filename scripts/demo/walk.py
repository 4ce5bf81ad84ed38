"""Walks through every ruling and checks each answer; ends with 1 at the first that is wrong."""

import datetime
import sys
import uuid

from calls import Answer, Calls
from server import Server

ORDER = '{"order":1,"amount":1299,"currency":"EUR"}'
SAME_ORDER = '{ "currency": "EUR", "amount": 1299, "order": 1 }'
OTHER_ORDER = '{"order":1,"amount":9900,"currency":"EUR"}'
RESULT = '{"charge":"ch_1", "status":"captured"}'


class Walk:
    def __init__(self, server: Server):
        self.server = server
        self.calls = Calls(server.binary, server.address)

    def all(self):
        self.one_grant()
        self.an_outcome_is_replayed()
        self.a_lost_holder_is_replaced()
        self.a_late_report_is_kept()
        self.a_mail_takes_evidence()
        self.an_old_message_is_not_taken_for_new()
        self.a_crash_loses_nothing()

    def one_grant(self):
        first = claim("charge", "charge:v1:order-1", holder="worker-1")
        step("The first to ask is granted. The intent is on disk before the answer leaves.")
        granted = self.claim(first)
        granted.expect("granted, attempt 1", granted.get("ruling.granted.attempt") == 1)
        self.token = granted.get("ruling.granted.fencingToken")

        step("The same claimant sends the same call again: the same grant, marked as repeated.")
        again = self.claim(first)
        again.expect("repeated", again.get("ruling.granted.repeated") is True)
        again.expect("the same token", again.get("ruling.granted.fencingToken") == self.token)

        step("Another execution asks for the same intent: somebody is at it.")
        other = self.claim(claim("charge", "charge:v1:order-1", payload=SAME_ORDER))
        other.expect("in progress", other.get("ruling.inProgress.holder") == "worker-1")

        step("The same key with another payload is refused.")
        self.claim(claim("charge", "charge:v1:order-1", payload=OTHER_ORDER)).expect_refused(
            "KEY_REUSED"
        )

        step("A hash that was made in another way can be compared with nothing.")
        hashed = claim("charge", "charge:v1:order-1") | {"payload": {"hash": "sha256:" + "0" * 64}}
        self.claim(hashed).expect_refused("HASH_SCHEME_DIFFERS")

    def an_outcome_is_replayed(self):
        step("The holder reports what happened.")
        outcome = {"result": {"text": RESULT}, "providerReference": "ch_1"}
        self.complete("charge", "charge:v1:order-1", self.token, outcome)

        step("Whoever asks from now on gets the original result, byte for byte.")
        self.expect_replayed()

    def expect_replayed(self):
        replay = self.claim(claim("charge", "charge:v1:order-1", payload=SAME_ORDER))
        result = replay.get("ruling.completed.succeeded.result.text")
        replay.expect("completed, with the same bytes", result == RESULT)

    def a_lost_holder_is_replaced(self):
        step("A holder is granted, and never heard of again.")
        granted = self.claim(claim("charge", "charge:v1:order-2", lease="2s"))
        granted.expect("granted", granted.get("ruling.granted.attempt") == 1)
        self.old_token = granted.get("ruling.granted.fencingToken")
        self.wait_for_lease_end("charge", "charge:v1:order-2")

        step("Its lease is over. Nobody knows whether it happened, and that is the answer.")
        unknown = self.claim(claim("charge", "charge:v1:order-2"))
        allowed = unknown.get("ruling.unknown.reclaimRule") == "RECLAIM_RULE_ALLOWED"
        unknown.expect("unknown, and it may be reclaimed", allowed)

        step("The provider deduplicates by the provider key, so the intent may be taken over.")
        taken = self.reclaim(claim("charge", "charge:v1:order-2", lease="30s"))
        taken.expect("granted, attempt 2", taken.get("ruling.granted.attempt") == 2)
        self.token = taken.get("ruling.granted.fencingToken")
        taken.expect("with a higher token", int(self.token) > int(self.old_token))
        key, same = "ruling.granted.providerKey", granted.get("ruling.granted.providerKey")
        taken.expect("and the same provider key", taken.get(key) == same)

    def a_late_report_is_kept(self):
        intent = intent_of("charge", "charge:v1:order-2")
        step("The first holder wakes up and reports success, under a token that has passed.")
        late = {"fencingToken": self.old_token, "succeeded": {"providerReference": "ch_2"}}
        self.calls.call("Complete", intent | late).expect_refused("FENCED")

        step("That is refused, and not forgotten.")
        shown = self.calls.call("Get", intent | {"payload": {"json": ORDER}})
        report = shown.get("intent.lateReports.0.succeeded.providerReference")
        shown.expect("a late report of success is on file", report == "ch_2")

        step("The second holder's report is the outcome.")
        self.complete("charge", "charge:v1:order-2", self.token, {"providerReference": "ch_2"})

    def a_mail_takes_evidence(self):
        mail = claim("mail", "mail:v1:order-1", lease="2s")
        step("A mail cannot be taken back. Its holder is granted, and never heard of again.")
        granted = self.claim(mail)
        granted.expect("granted", granted.get("ruling.granted.attempt") == 1)
        early = self.wait_for_lease_end("mail", "mail:v1:order-1").get("intent.etag")

        step("Nobody deduplicates mails, so taking over needs evidence.")
        unknown = self.reclaim(fresh(mail))
        rule = unknown.get("ruling.unknown.reclaimRule")
        unknown.expect("unknown, evidence required", rule == "RECLAIM_RULE_EVIDENCE_REQUIRED")

        step("Evidence on a record read too early counts nothing: the mail may be under way.")
        self.reclaim(fresh(mail) | evidence(early)).expect_refused("EVIDENCE_TOO_EARLY")
        marked = self.calls.wait_until(
            "evidence to count", "Get", intent_of("mail", "mail:v1:order-1"),
            lambda shown: shown.get("intent.etag") != early,
        )

        step("The record is read again, then the outbox; then the decision, on that very record.")
        taken = self.reclaim(fresh(mail) | evidence(marked.get("intent.etag")))
        taken.expect("granted, attempt 2", taken.get("ruling.granted.attempt") == 2)

    def an_old_message_is_not_taken_for_new(self):
        step("A message older than the memory: that it has no record does not make it new.")
        old = claim("charge", "charge:v1:order-0") | {"firstSentTime": "2020-01-01T00:00:00Z"}
        self.claim(old).expect_refused("INTENT_TOO_OLD")

    def a_crash_loses_nothing(self):
        open_claim = claim("charge", "charge:v1:order-3", lease="30s")
        step("A grant is open. The server is killed with SIGKILL, and started again.")
        granted = self.claim(open_claim)
        granted.expect("granted", granted.get("ruling.granted.attempt") == 1)
        token = granted.get("ruling.granted.fencingToken")
        self.server.kill()
        self.server.start()

        step("It is still held, by its holder and by nobody else.")
        other = self.claim(claim("charge", "charge:v1:order-3"))
        other.expect("in progress for another", other.get("ruling.inProgress.attempt") == 1)
        again = self.claim(open_claim)
        again.expect("the same grant", again.get("ruling.granted.fencingToken") == token)
        self.complete("charge", "charge:v1:order-3", token, {"providerReference": "ch_3"})

        step("And what was settled is still replayed.")
        self.expect_replayed()

    def claim(self, request: dict) -> Answer:
        return self.calls.call("Claim", request)

    def reclaim(self, request: dict) -> Answer:
        return self.calls.call("Reclaim", request | {"reason": "the walk"})

    def complete(self, operation: str, key: str, token: str, succeeded: dict):
        report = {"fencingToken": token, "succeeded": succeeded}
        answer = self.calls.call("Complete", intent_of(operation, key) | report)
        answer.expect("recorded", answer.get("intent.state") == "STATE_SUCCEEDED")

    def wait_for_lease_end(self, operation: str, key: str) -> Answer:
        def is_over(shown):
            return shown.get("intent.state") == "STATE_UNKNOWN"

        intent = intent_of(operation, key)
        return self.calls.wait_until("the end of the lease", "Get", intent, is_over)


def intent_of(operation: str, key: str) -> dict:
    return {"intent": {"namespace": "payments", "operation": operation, "key": key}}


def claim(operation: str, key: str, payload: str = ORDER, **more) -> dict:
    named = {"claimant": str(uuid.uuid4()), "payload": {"json": payload}}
    return intent_of(operation, key) | named | more


def fresh(request: dict) -> dict:
    """The same, asked by another execution."""
    return request | {"claimant": str(uuid.uuid4())}


def evidence(etag: str) -> dict:
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    finding = {"notApplied": {"message": "not in the outbox"}, "observeTime": now}
    return {"etag": etag, "evidence": finding}


def step(what: str):
    print(f"\n-- {what}")


def main():
    binary, policy = sys.argv[1:]
    with Server(binary, policy) as server:
        Walk(server).all()
    print("\nEvery answer was as it should be. By hand:")
    print(f"  {binary} serve --dev        and, beside it, {binary} claim --help")
    print("  docs/cli.md for the commands; .tools/bin/grpcurl for calls as on the wire")


if __name__ == "__main__":
    main()
