import { readFileSync, writeFileSync } from 'node:fs';

/**
 * The AWS command line of a test: what it is called for goes to the stand-in that AWS_STAND_IN names, which prints JSON. Files that
 * arguments name are read here; `--query` takes a path of names and the short forms of the pages.
 */

const [service, operation, ...rest] = process.argv.slice(2);
const input = {};
const Words = [];
let words = Words;
for (const word of rest) {
  if (!word.startsWith('--')) words.push(word);
  else {
    words = [];
    input[pascal(word.slice(2).replace(/^no-(?=enabled$|deletion|enable-)/, ''))] = {
      words,
      isOff: word.startsWith('--no-'),
    };
  }
}
const parsedInput = { Words };
for (const [name, { words: values, isOff }] of Object.entries(input)) {
  parsedInput[name] = values.length === 0 ? !isOff : parsed(values.join(' '));
}
if (service === 'cloudformation' && operation === 'deploy') {
  parsedInput.TemplateFile = readFileSync(parsedInput.TemplateFile, 'utf8');
}
// A waiter is a service's, whatever it waits for.
const response = await fetch(process.env.AWS_STAND_IN, {
  method: 'POST',
  body: JSON.stringify({ service, operation, input: parsedInput }),
});
const text = await response.text();
if (response.ok) print(withoutPayload(JSON.parse(text)));
else {
  process.stderr.write(`${text}\n`);
  process.exitCode = 254;
}

/** The answer of a function goes to the file that the call names. */
function withoutPayload(answer) {
  if (operation !== 'invoke' || answer?.Payload === undefined) return answer;
  const { Payload, ...rest } = answer;
  writeFileSync(Words[0], Payload);
  return rest;
}

function print(answer) {
  if (answer === null) return;
  const chosen = typeof parsedInput.Query === 'string' ? query(answer, parsedInput.Query) : answer;
  const isText = parsedInput.Output === 'text';
  process.stdout.write(`${isText ? [chosen].flat(2).join('\t') : JSON.stringify(chosen, undefined, 1)}\n`);
}

/** `A.B`, `A[].[B,C]`, `A[0].B` and `A[?B=='c'].D`, part by part. */
function query(value, path) {
  if (path === '') return value;
  const [, names] = /^\[([A-Za-z]\w*(?:,\w+)*)\]$/.exec(path) ?? [];
  if (names !== undefined) return names.split(',').map((name) => value[name]);
  const [, head, rest] = /^(\w+|\[[^\]]*\])\.?(.*)$/s.exec(path);
  const after = (one) => query(one, rest);
  if (head === '[]') return value.map(after);
  const [, name, sought] = /^\[\?(\w+)==['`](.*)['`]\]$/.exec(head) ?? [];
  if (name !== undefined) return value.filter((one) => one[name] === sought).map(after);
  return after(value?.[head.replace(/^\[|\]$/g, '')]);
}

function pascal(text) {
  return text.replace(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase());
}

/** A JSON value, a file, a structure in the short form `A=b,C=d`, or a text. */
function parsed(text) {
  if (text.startsWith('file://')) return readFileSync(text.slice('file://'.length), 'utf8');
  if (/^[[{]/.test(text)) return JSON.parse(text);
  if (!/^[A-Z]\w+=/.test(text)) return text;
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [name, value] = part.split('=');
      return [name, value === 'true' ? true : value === 'false' ? false : value];
    }),
  );
}
