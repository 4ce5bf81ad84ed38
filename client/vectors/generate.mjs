// Writes intents.json and payload_hashes.json beside itself. Needs node alone.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";

const sha256 = (bytes) => createHash("sha256").update(bytes).digest();

// ---- intents ----------------------------------------------------------------------------------

function identity(names) {
  const parts = [Buffer.from("onced.v1\0")];
  for (const name of names) {
    const bytes = Buffer.from(name);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  }
  return sha256(Buffer.concat(parts));
}

function base32(bytes) {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.match(/.{5}/g).map((five) => "abcdefghijklmnopqrstuvwxyz234567"[parseInt(five, 2)]).join("");
}

function uuid8(bytes) {
  const head = Buffer.from(bytes.subarray(0, 16));
  head[6] = (head[6] & 0x0f) | 0x80;
  head[8] = (head[8] & 0x3f) | 0x80;
  return head.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function accepted(name, namespace, operation, key) {
  const digest = identity([namespace, operation, key]);
  return {
    name, namespace, operation, key,
    identity: digest.toString("hex"),
    provider_key_text: `once1-${base32(digest.subarray(0, 20))}`,
    provider_key_uuid: uuid8(digest),
  };
}

const refused = (name, namespace, operation, key, fields) => ({ name, namespace, operation, key, fields });
const charge = (name, key) => accepted(name, "payments", "charge", key);
const bad = (name, key) => refused(name, "payments", "charge", key, ["key"]);

const intents = {
  accepted: [
    charge("a usual key", "charge:v1:order-42"),
    accepted("the same key under another operation", "payments", "refund", "charge:v1:order-42"),
    accepted("the same key under another namespace", "shop", "charge", "charge:v1:order-42"),
    accepted("a boundary that moves, first way", "a", "b", "c"),
    accepted("a boundary that moves, second way", "a", "bc", "d"),
    accepted("a boundary that moves, third way", "ab", "c", "d"),
    accepted("colon in the key, first way", "a", "b", "c:d"),
    accepted("colon in the key, second way", "a", "b", "b:c:d"),
    accepted("operation with a dot, key without", "a", "b.c", "d"),
    accepted("operation without a dot, key with", "a", "b", "c.d"),
    accepted("every character of a name", "a0._-", "z9-_.", "k"),
    accepted("longest names", "n".repeat(128), "o".repeat(128), "k"),
    charge("lower case", "order-a"),
    charge("upper case is another key", "order-A"),
    charge("trailing space is another key", "order-a "),
    charge("leading space is another key", " order-a"),
    charge("composed accent", "caf\u00e9"),
    charge("decomposed accent is another key", "cafe\u0301"),
    charge("right-to-left mark inside", "order\u200f-a"),
    charge("zero-width space inside", "order\u200b-a"),
    charge("byte order mark in front", "\ufefforder-a"),
    charge("line separator inside", "order\u2028a"),
    charge("no-break space inside", "order\u00a0a"),
    charge("beyond the basic plane", "order-\u{1f600}"),
    charge("a single byte", "1"),
    charge("512 bytes of ASCII", "k".repeat(512)),
    charge("512 bytes in characters of four", "\u{1f600}".repeat(128)),
    charge("private use", "\ue000"),
    charge("a combining mark alone", "\u0301"),
    charge("Hangul filler, which only looks blank", "\u3164"),
  ],
  refused: [
    bad("empty key", ""),
    bad("513 bytes of ASCII", "k".repeat(513)),
    bad("516 bytes in characters of four", "\u{1f600}".repeat(129)),
    bad("513 bytes, the last character of two", `${"k".repeat(511)}\u00e9`),
    bad("NUL at the end", "order-a\0"),
    bad("NUL inside", "order\0a"),
    bad("newline at the end", "order-a\n"),
    bad("carriage return", "order\ra"),
    bad("tab", "order\ta"),
    bad("delete", "order\u007fa"),
    bad("next line, a control of two bytes", "order\u0085a"),
    bad("escape in front", "\u001b[0m"),
    bad("one space", " "),
    bad("spaces of many kinds", " \u00a0\u2003\u3000\u2028"),
    bad("zero-width characters alone", "\u200b\u200c\u200d"),
    bad("right-to-left mark alone", "\u200f"),
    bad("byte order mark alone", "\ufeff"),
    bad("soft hyphen alone", "\u00ad"),
    bad("space and zero-width", " \u200b "),
    bad("a tag character alone", "\u{e0041}"),
    refused("empty namespace", "", "charge", "k", ["namespace"]),
    refused("empty operation", "payments", "", "k", ["operation"]),
    refused("upper case in a namespace", "Payments", "charge", "k", ["namespace"]),
    refused("space in an operation", "payments", "charge card", "k", ["operation"]),
    refused("trailing newline in an operation", "payments", "charge\n", "k", ["operation"]),
    refused("colon in a namespace", "pay:ments", "charge", "k", ["namespace"]),
    refused("slash in an operation", "payments", "charge/v1", "k", ["operation"]),
    refused("accent in a namespace", "caf\u00e9", "charge", "k", ["namespace"]),
    refused("129 characters of namespace", "n".repeat(129), "charge", "k", ["namespace"]),
    refused("129 characters of operation", "payments", "o".repeat(129), "k", ["operation"]),
    refused("all three empty", "", "", "", ["namespace", "operation", "key"]),
    refused("all three wrong", "A", "b c", "d\n", ["namespace", "operation", "key"]),
    refused("first and last wrong", "A", "charge", " ", ["namespace", "key"]),
  ],
};

// ---- payloads ---------------------------------------------------------------------------------

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const member = (name) => `${JSON.stringify(name)}:${canonical(value[name])}`;
  return `{${Object.keys(value).sort().map(member).join(",")}}`;
}

function json(name, text) {
  const form = canonical(JSON.parse(text));
  return { name, text, canonical: form, hash: `jcs-sha256:${sha256(form).toString("hex")}` };
}

function number(bits) {
  const bytes = Buffer.from(bits, "hex");
  return { bits, text: JSON.stringify(bytes.readDoubleBE()) };
}

function raw(name, bytes) {
  return { name, base64: bytes.toString("base64"), hash: `sha256:${sha256(bytes).toString("hex")}` };
}

const nested = (depth) => "[".repeat(depth) + "]".repeat(depth);
const digest = sha256("").toString("hex");

const payloads = {
  json: [
    json("RFC 8785, section 3.2.2", String.raw`{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}`),
    json("RFC 8785, section 3.2.3", String.raw`{
  "\u20ac": "Euro Sign",
  "\r": "Carriage Return",
  "\ufb33": "Hebrew Letter Dalet With Dagesh",
  "1": "One",
  "\ud83d\ude00": "Emoji: Grinning Face",
  "\u0080": "Control",
  "\u00f6": "Latin Small Letter O With Diaeresis"
}`),
    json("members in order", '{"amount":1,"card":{"last4":"4242","brand":"visa"}}'),
    json("members in another order", '{"card":{"brand":"visa","last4":"4242"},"amount":1}'),
    json("whitespace between tokens", ' {\t"amount" : 1 ,\r\n"card":{ "brand":"visa","last4":"4242" } } '),
    json("a whole number", '{"amount":1}'),
    json("the same with a fraction of zero", '{"amount":1.0}'),
    json("the same with an exponent", '{"amount":10e-1}'),
    json("a string of digits is no number", '{"amount":"1"}'),
    json("order of elements counts", "[2,1]"),
    json("order of elements counts, the other", "[1,2]"),
    json("composed accent", '"caf\u00e9"'),
    json("decomposed accent is another payload", '"cafe\u0301"'),
    json("escaped accent is the composed one", String.raw`"caf\u00e9"`),
    json("every short escape", String.raw`"\b\t\n\f\r\"\\\/"`),
    json("controls without a short escape", String.raw`"\u0000\u0001\u001F\u007f\u0080"`),
    json("separators of lines are not escaped", String.raw`"\u2028\u2029"`),
    json("markup is not escaped", '"<a href=\'x\'>&</a>"'),
    json("names that differ in case", '{"b":1,"B":2,"a":3}'),
    json("names that are prefixes", '{"aa":1,"a":2,"":3,"ab":4}'),
    json("names like numbers sort as text", '{"10":1,"9":2,"1":3}'),
    json("names in code units, not code points", String.raw`{"\uffee":1,"\ud800\udc00":2,"\ue000":3}`),
    json("a name that is special to some", '{"__proto__":1,"constructor":2}'),
    json("empty object", "{}"),
    json("empty array", "[ ]"),
    json("empty string", '""'),
    json("empty things in things", '{"a":[],"b":{},"c":[{},[]]}'),
    json("null", "null"),
    json("true", "true"),
    json("false", " false\n"),
    json("zero", "0"),
    json("minus zero is zero", "-0"),
    json("minus zero with a fraction", "-0.0"),
    json("2^53", "9007199254740992"),
    json("-2^53", "-9007199254740992"),
    json("2^53 - 1", "9007199254740991"),
    json("2^53 with an exponent", "9007199254740992e0"),
    json("1e21 with its exponent", "1e21"),
    json("largest double", "1.7976931348623157e308"),
    json("smallest double", "5e-324"),
    json("too small to tell from zero", "1e-400"),
    json("small, in digits", "0.000001"),
    json("smaller, with an exponent", "0.0000001"),
    json("more digits than a double holds", "0.1000000000000000055511151231257827"),
    json("digits in a string are no number", '"123456789012345678901234567890"'),
    json("a quote and digits in a string", String.raw`"\"123456789012345678901234567890\\"`),
    json("127 deep", nested(127)),
  ],
  refused_json: [
    ["empty", ""],
    ["blank", " \n"],
    ["a name twice", '{"a":1,"a":1}'],
    ["a name twice, not side by side", '{"a":1,"b":2,"a":3}'],
    ["a name twice, once escaped", String.raw`{"a":1,"\u0061":2}`],
    ["a name twice, deep", '[{"x":[{"y":{"a":1,"a":2}}]}]'],
    ["a name twice, in a value that is equal", '{"a":{"b":null,"b":null}}'],
    ["lone high surrogate", String.raw`"\ud800"`],
    ["lone low surrogate", String.raw`"\udc00"`],
    ["surrogates the wrong way round", String.raw`"\udc00\ud800"`],
    ["high surrogate and a letter", String.raw`"\ud800a"`],
    ["lone surrogate in a name", String.raw`{"\ud800":1}`],
    ["2^53 + 1", "9007199254740993"],
    ["-2^53 - 1", "-9007199254740993"],
    ["2^53 + 2, which is a double", "9007199254740994"],
    ["2^63", "9223372036854775808"],
    ["2^64", "18446744073709551616"],
    ["-2^64", "-18446744073709551616"],
    ["1e20 in digits", "100000000000000000000"],
    ["1e20 with an exponent", "1e20"],
    ["21 digits", "999999999999999999999"],
    ["1e21 in digits", "1000000000000000000000"],
    ["-1e21 in digits", "-1000000000000000000000"],
    ["1e30 in digits, deep", '{"a":[{"b":1000000000000000000000000000000}]}'],
    ["whole number beyond 2^53 with a fraction of zero", "9007199254740994.0"],
    ["NaN", "NaN"],
    ["Infinity", "Infinity"],
    ["-Infinity", "-Infinity"],
    ["larger than any double", "1e400"],
    ["smaller than any double", "-1e400"],
    ["trailing text", "{} x"],
    ["two values", "1 2"],
    ["trailing comma in an array", "[1,]"],
    ["trailing comma in an object", '{"a":1,}'],
    ["comment", "/* a */ 1"],
    ["single quotes", "'a'"],
    ["name without quotes", "{a:1}"],
    ["leading zero", "01"],
    ["plus sign", "+1"],
    ["hexadecimal", "0x1"],
    ["no digit after the point", "1."],
    ["no digit before the point", ".5"],
    ["control character in a string", '"a\nb"'],
    ["unknown escape", String.raw`"\x41"`],
    ["cut string", '"a'],
    ["cut object", '{"a":1'],
    ["upper case literal", "True"],
    ["byte order mark in front", "\ufeff1"],
    ["no-break space in front", "\u00a01"],
    ["128 deep", nested(128)],
    ["100 000 deep and cut", "[".repeat(100_000)],
  ].map(([name, text]) => (text.length > 1_000
    ? { name, text: text[0], times: text.length }
    : { name, text })),
  // IEEE 754 bits, big-endian hexadecimal, and the text of the number.
  numbers: [
    "0000000000000000", "8000000000000000", "0000000000000001", "8000000000000001",
    "7fefffffffffffff", "ffefffffffffffff", "4340000000000000", "c340000000000000",
    "4430000000000000", "44b52d02c7e14af5", "44b52d02c7e14af6", "44b52d02c7e14af7",
    "444b1ae4d6e2ef4e", "444b1ae4d6e2ef4f", "444b1ae4d6e2ef50", "3eb0c6f7a0b5ed8c",
    "3eb0c6f7a0b5ed8d", "41b3de4355555553", "41b3de4355555554", "41b3de4355555555",
    "41b3de4355555556", "41b3de4355555557", "becbf647612f3696", "43143ff3c1cb0959",
  ].map(number),
  bytes: [
    raw("no bytes", Buffer.alloc(0)),
    raw("one NUL", Buffer.from([0])),
    raw("text", Buffer.from("amount=1")),
    raw("the same with a newline", Buffer.from("amount=1\n")),
    raw("not UTF-8", Buffer.from([0xff, 0xfe, 0x80])),
    raw("JSON, taken as bytes", Buffer.from('{"amount":1}')),
  ],
  hashes: {
    accepted: [
      `sha256:${digest}`,
      `jcs-sha256:${digest}`,
      "x:00",
      `blake3:${"ab".repeat(32)}`,
      `sha512:${"ab".repeat(64)}`,
      `${"s".repeat(32)}:0f`,
      "order-v1:0123456789abcdef",
    ],
    refused: [
      "", ":", "sha256", digest, "sha256:", `:${digest}`,
      `sha256:${digest.toUpperCase()}`,
      `SHA256:${digest}`,
      `sha256: ${digest}`,
      ` sha256:${digest}`,
      `sha256:${digest}\n`,
      `sha256:${digest.slice(1)}`,
      `sha256:${digest}0`,
      `sha256:${digest}00`,
      `sha256:${digest.slice(2)}`,
      `jcs-sha256:${digest.slice(2)}`,
      `jcs-sha256:${digest}00`,
      `sha256:0x${digest.slice(2)}`,
      `sha256::${digest}`,
      `sha256:sha256:${digest}`,
      "x:0", "x:000", "x:0g", "x:", "x_y:00", "x y:00", "\u00e9:00", "x:\u0660\u0660",
      `${"s".repeat(33)}:00`,
      `x:${"ab".repeat(65)}`,
    ],
  },
};

const write = (name, value) =>
  writeFileSync(new URL(name, import.meta.url), `${escaped(JSON.stringify(value, null, 2))}\n`);

// What cannot be seen, or would join with its neighbour, stands as an escape.
const escaped = (text) =>
  text.replace(/[^\x20-\x7e\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

write("intents.json", intents);
write("payload_hashes.json", payloads);
