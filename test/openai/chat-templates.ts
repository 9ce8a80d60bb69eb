/** The variables of every template in this file. */
export const variables = {
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "  Hello <b>& 'you'</b> é漢\n" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          type: "function",
          id: "c1",
          function: { name: "f", arguments: { z: 1, a: [1.5, true, null], s: 'q"<' } },
        },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "42" },
  ],
  tools: [
    {
      type: "function",
      function: {
        name: "f",
        description: "d",
        parameters: {
          type: "object",
          properties: { b: { type: "string" }, a: { type: "array", items: { type: "integer" } } },
          required: ["b"],
        },
      },
    },
  ],
  documents: null,
  add_generation_prompt: true,
  bos_token: "<s>",
  eos_token: "</s>",
  numbers: [3, 1, 2, 3],
  words: ["b", "A", "c"],
  people: [
    { n: "x", age: 3 },
    { n: "y", age: 1 },
    { n: "z", age: 3 },
  ],
  flag: false,
  empty: "",
  x: 7,
  pi: 3.25159,
  d: { b: 2, a: 1 },
  text: "one two\nthree four five",
};

/** Templates with constructs of well-known models. */
export const modelTemplates: readonly string[] = [
  // As in Qwen 2.5: tools as JSON, calls of the assistant, replies of tools in one turn.
  String.raw`{%- if tools %}
{{- '<|im_start|>system\n' }}{%- if messages[0]['role'] == 'system' %}{{- messages[0]['content'] }}{%- else %}{{- 'You are helpful.' }}{%- endif %}
{{- "\n\n# Tools\n<tools>" }}{%- for tool in tools %}{{- "\n" }}{{- tool | tojson }}{%- endfor %}{{- "\n</tools><|im_end|>\n" }}
{%- endif %}
{%- for message in messages %}
{%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
{{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>' + '\n' }}
{%- elif message.role == "assistant" %}
{{- '<|im_start|>' + message.role }}{%- if message.content %}{{- '\n' + message.content }}{%- endif %}
{%- for tool_call in message.tool_calls %}{%- if tool_call.function is defined %}{%- set tool_call = tool_call.function %}{%- endif %}
{{- '\n<tool_call>\n{"name": "' }}{{- tool_call.name }}{{- '", "arguments": ' }}{{- tool_call.arguments | tojson }}{{- '}\n</tool_call>' }}{%- endfor %}{{- '<|im_end|>\n' }}
{%- elif message.role == "tool" %}
{%- if (loop.index0 == 0) or (messages[loop.index0 - 1].role != "tool") %}{{- '<|im_start|>user' }}{%- endif %}
{{- '\n<tool_response>\n' }}{{- message.content }}{{- '\n</tool_response>' }}
{%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}{{- '<|im_end|>\n' }}{%- endif %}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}`,
  // As in Llama 3.1: a date, trimmed contents, the first user message after the tools.
  String.raw`{{- bos_token }}{%- if not tools is defined %}{%- set tools = none %}{%- endif %}
{%- if messages[0]['role'] == 'system' %}{%- set system_message = messages[0]['content']|trim %}{%- set messages = messages[1:] %}{%- else %}{%- set system_message = "" %}{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\n\n" }}{%- if tools is not none %}{{- "Environment: ipython\n" }}{%- endif %}
{{- system_message }}{{- "<|eot_id|>" }}
{%- for message in messages %}
{%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + '<|eot_id|>' }}
{%- elif 'tool_calls' in message %}
{%- if not message.tool_calls|length == 1 %}{{- raise_exception("one call at once!") }}{%- endif %}
{%- set tool_call = message.tool_calls[0].function %}
{{- '{"name": "' + tool_call.name + '", ' + '"parameters": ' }}{{- tool_call.arguments | tojson }}{{- "}<|eot_id|>" }}
{%- elif message.role == "tool" %}
{%- if message.content is mapping or (message.content is iterable and message.content is not string) %}{{- message.content | tojson }}{%- else %}{{- message.content }}{%- endif %}
{%- endif %}
{%- endfor %}`,
  // As in Mistral 7B v0.3: turns counted with namespace and selectattr, an escaped JSON without braces.
  String.raw`{%- set loop_messages = messages[1:] %}{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{%- set ns = namespace() %}{%- set ns.index = 0 %}
{%- for message in loop_messages %}{%- if not (message.role == "tool" or (message.tool_calls is defined and message.tool_calls is not none)) %}
{%- if (message["role"] == "user") != (ns.index % 2 == 0) %}{{- raise_exception("roles must alternate") }}{%- endif %}{%- set ns.index = ns.index + 1 %}{%- endif %}{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
{%- if message["role"] == "user" %}{%- if tools is not none and (message == user_messages[-1]) %}{{- "[AVAILABLE_TOOLS] [" }}
{%- for tool in tools %}{%- set tool = tool.function %}{{- '{"type": "function", "function": {' }}
{%- for key, val in tool.items() if key != "return" %}{%- if val is string %}{{- '"' + key + '": "' + val + '"' }}{%- else %}{{- '"' + key + '": ' + val|tojson }}{%- endif %}{%- if not loop.last %}{{- ", " }}{%- endif %}{%- endfor %}{{- "}}" }}{%- endfor %}{{- "][/AVAILABLE_TOOLS]" }}{%- endif %}
{{- "[INST] " + message["content"] + "[/INST]" }}
{%- elif message.tool_calls is defined and message.tool_calls is not none %}{{- "[TOOL_CALLS] [" }}{%- for tool_call in message.tool_calls %}{%- set out = tool_call.function|tojson %}{{- out[:-1] }}{{- ', "id": "' + tool_call.id + '"}' }}{%- endfor %}{{- "]" + eos_token }}
{%- endif %}
{%- endfor %}`,
  // As in DeepSeek R1 and Qwen 3: the reasoning is cut off.
  String.raw`{% for message in messages %}{% set content = message.content if message.content is string else '' %}{% if '</think>' in content %}{% set content = content.split('</think>')[-1].lstrip('\n') %}{% endif %}{{ message.role.title() }}: {{ content.rstrip('\n').lstrip() }}
{% endfor %}{%- set last = namespace(i=messages|length - 1, many=true) %}{%- for message in messages[::-1] %}{%- set index = (messages|length - 1) - loop.index0 %}{%- if last.many and message.role == "user" %}{%- set last.many = false %}{%- set last.i = index %}{%- endif %}{%- endfor %}{{ last.i }}`,
  // As in Gemma and Command R: macros, nested types, joined and replaced texts.
  String.raw`{%- macro type_of(spec) -%}{%- if spec.type == "array" -%}list[{{ type_of(spec["items"]) }}]{%- else -%}{{ {"string": "str", "integer": "int"}[spec.type] | default("Any") }}{%- endif -%}{%- endmacro -%}
{% for tool in tools %}def {{ tool.function.name }}({% for name, spec in tool.function.parameters.properties | dictsort %}{{ name }}: {{ type_of(spec) }}{% if name not in tool.function.parameters.required %} = None{% endif %}{% if not loop.last %}, {% endif %}{% endfor %}):
    """{{ tool.function.description | replace("d", "D") | indent(4) }}"""
{% endfor %}{{ "model" if messages[-1].role == "assistant" else messages[-1].role | upper }}`,
];

/** Jinja's filters and tests, and Python's methods and texts. */
export const expressions: readonly string[] = [
  String.raw`{{ -7 | abs }}`,
  String.raw`{{ d | attr("a") }}|{{ d.a }}`,
  String.raw`{{ "hello WORLD" | capitalize }}`,
  String.raw`{{ nothing | default("d") }} {{ empty | default("e", true) }} {{ nothing | d("q") }}`,
  String.raw`{{ d | dictsort }}`,
  String.raw`{{ d | dictsort(reverse=true) }}`,
  String.raw`{{ d | dictsort(by="value") }}`,
  String.raw`{{ "<a href='x'>&" | escape }} {{ "<" | e }}`,
  String.raw`{{ numbers | first }} {{ numbers | last }}`,
  String.raw`{{ "3.7" | float }} {{ "x" | float(1.5) }} {{ 3 | float }}`,
  String.raw`{{ "%s - %d" | format("a", 3) }}`,
  String.raw`{{ "%05.2f|%-5s|%x" | format(pi, "ab", 255) }}`,
  String.raw`{{ "%(a)s" | format(a=1) }}`,
  String.raw`{{ "{} {}".format("a", 3) }}`,
  String.raw`{{ people | groupby("age") | map(attribute="grouper") | list }}`,
  String.raw`{% for age, items in people | groupby("age") %}{{ age }}:{{ items | map(attribute="n") | join("+") }};{% endfor %}`,
  String.raw`{{ text | indent }}`,
  String.raw`{{ text | indent(2, true) }}`,
  String.raw`{{ text | indent(width=3, first=false) }}`,
  String.raw`{{ "12" | int }} {{ "0x1f" | int(0, 16) }} {{ 3.9 | int }} {{ -3.9 | int }} {{ "z" | int(-1) }}`,
  String.raw`{{ d | items | list }}`,
  String.raw`{{ words | join(", ") }} {{ people | join("-", attribute="n") }} {{ numbers | join }}`,
  String.raw`{{ words | length }} {{ "abc" | count }} {{ d | length }}`,
  String.raw`{{ "abc" | list }} {{ d | list }}`,
  String.raw`{{ "ABC" | lower }} {{ "abc" | upper }}`,
  String.raw`{{ words | map("upper") | list }} {{ people | map(attribute="n") | join }}`,
  String.raw`{{ people | map(attribute="q", default="-") | join }}`,
  String.raw`{{ numbers | max }} {{ numbers | min }} {{ people | max(attribute="age") }}`,
  String.raw`{{ numbers | reject("odd") | list }} {{ numbers | select("odd") | list }} {{ numbers | select("equalto", 3) | list }}`,
  String.raw`{{ numbers | select(">", 1) | list }} {{ numbers | select("gt", 1) | list }} {{ [0, 1, ""] | select | list }}`,
  String.raw`{{ people | rejectattr("age", "eq", 3) | map(attribute="n") | list }}`,
  String.raw`{{ people | selectattr("age", "ne", 3) | map(attribute="n") | list }}`,
  String.raw`{{ people | selectattr("age", "gt", 1) | map(attribute="n") | list }}`,
  String.raw`{{ people | selectattr("age", "in", [1, 2]) | map(attribute="n") | list }}`,
  String.raw`{{ people | selectattr("age") | list | length }}`,
  String.raw`{{ messages | selectattr("role", "equalto", "user") | list | length }}`,
  String.raw`{{ messages | selectattr("tool_calls", "defined") | list | length }}`,
  String.raw`{{ messages | rejectattr("role", "==", "system") | map(attribute="role") | join(",") }}`,
  String.raw`{{ "aXbX" | replace("X", "-") }} {{ "aXbX" | replace("X", "-", 1) }}`,
  String.raw`{{ numbers | reverse | list }} {{ "abc" | reverse }}`,
  String.raw`{{ pi | round }} {{ pi | round(2) }} {{ pi | round(1, "ceil") }} {{ 7.5 | round(method="floor") }}`,
  String.raw`{{ "<b>" | safe }}`,
  String.raw`{{ numbers | sort }} {{ words | sort }} {{ words | sort(case_sensitive=true) }} {{ people | sort(attribute="age") | map(attribute="n") | join }}`,
  String.raw`{{ numbers | sort(reverse=true) }}`,
  String.raw`{{ 5 | string ~ "x" }} {{ true | string }} {{ none | string }} {{ [1, "a"] | string }}`,
  String.raw`{{ numbers | sum }} {{ people | sum(attribute="age") }} {{ numbers | sum(start=10) }}`,
  String.raw`{{ "hello world" | title }}`,
  String.raw`{{ tools | tojson }}`,
  String.raw`{{ tools[0] | tojson(indent=2) }}`,
  String.raw`{{ d | tojson(separators=(",", ":")) }} {{ d | tojson(sort_keys=true) }} {{ "é<" | tojson }} {{ "é" | tojson(ensure_ascii=true) }}`,
  String.raw`{{ messages[2].tool_calls[0].function.arguments | tojson }}`,
  String.raw`{{ "  a " | trim }}| {{ "xxaxx" | trim("x") }}`,
  String.raw`{{ ["a", "B", "b", "A"] | unique | list }}`,
  String.raw`{{ x is odd }} {{ x is even }} {{ x is divisibleby(7) }} {{ x is divisibleby 2 }}`,
  String.raw`{{ x is defined }} {{ nothing is defined }} {{ nothing is undefined }} {{ x is not defined }}`,
  String.raw`{{ x is eq 7 }} {{ x is equalto 7 }} {{ x is ne 7 }} {{ x is eq(7) }}`,
  String.raw`{{ x is gt 3 }} {{ x is ge 7 }} {{ x is lt 3 }} {{ x is le 7 }} {{ x is greaterthan 3 }} {{ x is lessthan 3 }}`,
  String.raw`{{ x is in [7] }} {{ "a" is in "abc" }} {{ x is not in [1] }}`,
  String.raw`{{ none is none }} {{ flag is boolean }} {{ flag is false }} {{ true is true }} {{ x is number }} {{ x is integer }} {{ pi is float }}`,
  String.raw`{{ "a" is string }} {{ d is mapping }} {{ words is sequence }} {{ words is iterable }} {{ d is iterable }} {{ x is iterable }}`,
  String.raw`{{ "a" is lower }} {{ "A" is upper }} {{ x is sameas x }} {{ flag is sameas(false) }} {{ none is sameas none }}`,
  String.raw`{{ "upper" is filter }} {{ "odd" is test }} {{ range is callable }} {{ x is callable }} {{ "x" is escaped }}`,
  String.raw`{{ 7 // 2 }} {{ 7 / 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 2 ** 3 }} {{ 1 / 3 }}`,
  String.raw`{{ "a" ~ 1 ~ none ~ true }} {{ "ab" * 2 }} {{ [1] + [2] }}`,
  String.raw`{{ messages[-1].role }} {{ messages[1:3] | length }} {{ "abcdef"[::2] }} {{ "abc"[::-1] }} {{ messages[::-1][0].role }}`,
  String.raw`{{ "a,b,c".split(",") }} {{ "a,b,c".split(",")[-1] }} {{ " a b ".split() }} {{ "a</think>b".split("</think>")[-1].lstrip("\n") }}`,
  String.raw`{{ " x ".strip() }}|{{ "xxa".lstrip("x") }}|{{ "axx".rstrip("x") }}|{{ "abc".startswith("a") }}|{{ "abc".endswith(("c", "d")) }}`,
  String.raw`{{ "abc".upper() }} {{ "a b".title() }} {{ "aXa".replace("a", "b") }} {{ "abc".find("c") }} {{ "aab".count("a") }} {{ "x".join(words) }} {{ "ab".capitalize() }}`,
  String.raw`{{ d.items() | list }} {{ d.keys() | list }} {{ d.values() | list }} {{ d.get("a") }} {{ d.get("q", 5) }} {{ d["a"] }}`,
  String.raw`{{ "12".isdigit() }} {{ "ab".isalpha() }} {{ "a\nb".splitlines() }} {{ "ab".zfill(4) }}`,
  String.raw`{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.revindex }} {{ loop.previtem.role if loop.previtem is defined }} {{ loop.nextitem.role if loop.nextitem }};{% endfor %}`,
  String.raw`{% for m in messages if m.role != "system" %}{{ m.role }}{% if not loop.last %},{% endif %}{% else %}none{% endfor %}`,
  String.raw`{% for n in numbers %}{% if n == 1 %}{% continue %}{% endif %}{% if n == 2 %}{% break %}{% endif %}{{ n }}{% endfor %}`,
  String.raw`{% for k, v in d.items() %}{{ k }}={{ v }} {% endfor %}{% for k in d %}{{ k }}{% endfor %}`,
  String.raw`{% set ns = namespace(found=false, n=0) %}{% for m in messages %}{% if m.role == "user" %}{% set ns.found = true %}{% endif %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.found }} {{ ns.n }}`,
  String.raw`{% macro wrap() %}[{{ caller() }}]{% endmacro %}{% call wrap() %}in{% endcall %}`,
  String.raw`{% set block %}a {{ x }}{% endset %}{{ block }}`,
  String.raw`{% filter upper %}abc {{ x }}{% endfilter %}`,
  String.raw`{% if messages[0].role == "system" and messages | length > 1 %}yes{% elif x %}maybe{% else %}no{% endif %}`,
  String.raw`{{ "yes" if x > 3 else "no" }} {{ "only" if flag }}|`,
  String.raw`{{ range(3) | list }} {{ range(1, 10, 4) | list }} {% for i in range(2) %}{{ i }}{% endfor %}`,
  String.raw`{# comment #}a{#- trimmed -#} b`,
  String.raw`{%- if true -%} a {%- endif -%} b`,
  String.raw`{{- " x " -}}|`,
  String.raw`{% set a, b = 1, 2 %}{{ a }}{{ b }}`,
  String.raw`{{ x if x is defined and x is not none else "-" }}`,
  String.raw`{{ not flag }} {{ x and "a" }} {{ "" or "b" }} {{ x in numbers }} {{ "a" not in "abc" }}`,
  String.raw`{{ messages | map(attribute="role") | unique | join(",") }}`,
  String.raw`{{ tools | map(attribute="function.name") | list }}`,
  String.raw`{{ (messages | first).content }} {{ messages | last | attr("role") }}`,
  String.raw`{{ "a\tb" }} {{ 'it\'s' }} {{ "\u00e9" }}`,
  String.raw`{{ messages[2].content }} {{ messages[1]["content"] | trim | length }} {{ messages[0].nothing }}|`,
  String.raw`{{ bos_token + "x" }} {{ bos_token ~ eos_token }}`,
  String.raw`{% generation %}a{% endgeneration %}`,
  String.raw`{{ [[1, 2], [3, 4]] | sum(start=[]) }} {{ [1, 2, 3] | map("string") | join(",") }}`,
  String.raw`{% for a, b in [[1, 2], [3, 4]] %}{{ a + b }} {% endfor %}`,
  String.raw`{{ people | map(attribute="n") | map("upper") | join }} {{ [{"a": 1}] }} {{ "x" in d }} {{ "a" in d }}`,
  String.raw`{{ "Hello"[0] }} {{ "Hello"[1:] }} {{ "Hello" | first }} {{ words | last | lower }}`,
  String.raw`{{ 1.0 }} {{ 10 / 2 }} {{ true }} {{ none }} {{ [1, "a", none, true, 1.0] }} {{ {"a": [1]} }} {{ 0.00001 }} {{ 10.0 ** 20 }}`,
  String.raw`{{ 0.1 + 0.2 }} {{ 3.0 | int }} {{ "it's" | list }} {{ ["a\nb", "'"] }}`,
  String.raw`{{ "a" is lower }} {{ "" is lower }} {{ (1, 2) }} {{ x is not divisibleby 2 and x is gt 3 or x is eq messages[0].role }}`,
  String.raw`{% for m in messages if m.content is string and m.role is ne "system" %}{{ m.role }}{% endfor %}`,
  String.raw`{{ "{} {1}".format("a") if false else "{0} {1} {0!r} {n} {{}}".format("a", 2, n=none) }}`,
  String.raw`{{ "%s %r %5.1f%%" % ("a", "b", 12.34) }} {{ "%(x)s" % {"x": 1} }} {{ "%s" % none }}`,
  String.raw`{{ "a b c".split(" ", 1) }} {{ " a  b c ".split(none, 1) }} {{ "a-b".partition("-") }} {{ "abc".removeprefix("a") }} {{ "abc".removesuffix("bc") }}`,
  String.raw`{% if messages[2].content is none and messages[2].tool_calls is defined and messages[2].tool_calls is not none %}calls{% endif %}`,
  String.raw`{{ [1, 2] == [1, 2] }} {{ "1" == 1 }} {{ {"a": 1} == {"a": 1} }} {{ {"a": 1} in [{"a": 1}] }} {{ none in [none] }} {{ none == none }}`,
];

type Refused = readonly [template: string, message: string];

/** Templates that Python refuses as well. */
export const refusedByBoth: readonly Refused[] = [
  ['{{ raise_exception("bad " ~ x) }}', "bad 7"],
  [
    '{% set q = d %}{% set _ = words.append("z") %}{{ words }}',
    "Cannot call something that is not a function: got UndefinedValue",
  ],
];

/** Templates that are refused here, although Python renders them. */
export const refused: readonly Refused[] = [
  ["{{ 123456 | filesizeformat }}", "Unknown NumericValue filter: filesizeformat"],
  ["{{ words | pprint }}", "Unknown ArrayValue filter: pprint"],
  ["{{ numbers | batch(2) | list }}", "Unknown ArrayValue filter: batch"],
  ["{{ numbers | slice(2) | list }}", "Unknown ArrayValue filter: slice"],
  ['{{ "a" | center(4) }}', "Unknown StringValue filter: center"],
  ['{{ "<b>" | striptags }}', "Unknown StringValue filter: striptags"],
  ['{{ "a b" | truncate(300) }}', "Unknown StringValue filter: truncate"],
  ['{{ "a b" | urlencode }}', "Unknown StringValue filter: urlencode"],
  ['{{ "a b" | wordcount }}', "Unknown StringValue filter: wordcount"],
  ['{{ "{:>5}".format("a") }}', "format cannot read {:>5}"],
  ["{{ [1] | random }}", "Unknown ArrayValue filter: random"],
  ['{{ "aaa bbb ccc" | wordwrap(3) }}', "Unknown StringValue filter: wordwrap"],
  ['{{ {"class": "a"} | xmlattr }}', "Unknown ObjectValue filter: xmlattr"],
  ["{{ dict(a=1) }}", "Cannot call something that is not a function: got UndefinedValue"],
  ["{{ 3 < 5 <= 5 }}", 'Unknown operator "<=" between BooleanValue and IntegerValue'],
  ["{% raw %}{{ x }}{% endraw %}", "Unknown statement type: raw"],
  ["{% with y = 5 %}{{ y }}{% endwith %}", "Unknown statement type: with"],
];
