"""The calls of the walk as words for onced's own command line, where there is no grpcurl."""

FLAGS = {
    "fencingToken": "token",
    "firstSentTime": "first-sent",
    "observeTime": "observed",
    "providerReference": "provider-reference",
}


def words(method: str, request: dict) -> list[str]:
    said = [method.lower()]
    for name, value in request.items():
        said += parts(name, value)
    return said


def parts(name: str, value) -> list[str]:
    match name:
        case "intent" | "payload":
            return flags(value)
        case "succeeded":
            text = {"text": value["result"]["text"]} if "result" in value else {}
            rest = {name: given for name, given in value.items() if name != "result"}
            return ["--succeeded", *flags(text | rest)]
        case "evidence":
            return ["--evidence", "not-applied", *flags({"observeTime": value["observeTime"]})]
        case _:
            return flags({name: value})


def flags(values: dict) -> list[str]:
    pairs = [(f"--{FLAGS.get(name, name)}", str(value)) for name, value in values.items()]
    return [word for pair in pairs for word in pair]
