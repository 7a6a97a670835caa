import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type TypeScript from 'typescript-5.9';
import graph from '../../edgeloom.config.ts';
import { COMMANDS } from '../../packages/cli/command-list.ts';
import { createProgram } from '../../packages/cli/program.ts';
import { VERDICT_NAMES, VERDICTS } from '../../src/core/verdicts.ts';
import { metricOfVerdict, NAMESPACE } from '../../src/deployment/metric-units.ts';
import { readParameters } from '../../src/deployment/stack/base/parameters.ts';
import { siteOf } from '../../src/deployment/stack/base/site.ts';
import { type Alarm, alarms, runbookOf } from '../../src/deployment/stack/parts/alarms.ts';
import { DESCRIPTIONS } from '../../src/deployment/telemetry/instruments.ts';
import { documentSchemas } from './documents.ts';
import { commentOf, nodesOf, oneLine, ROOT, readText, Sources, textOf, ts } from './syntax.ts';

export const HAND_WRITTEN = ['glossary.md', 'model-options.md', 'stored-items.md'];

const WRITTEN_BY = '`npm run reference` writes this page from the code.';

export async function referencePages(): Promise<Map<string, string>> {
  const sources = new Sources(['src', 'packages']);
  return new Map(
    Object.entries({
      'metrics.md': metricsPage(sources),
      'environment.md': environmentPage(sources),
      'parameters.md': parametersPage(sources),
      'errors.md': errorsPage(sources),
      'logs.md': logsPage(sources),
      'options.md': optionsPage(sources),
      'commands.md': await commandsPage(),
      'commands.schema.json': schemasPage(sources),
    }).sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

function page(title: string, ...parts: (string | readonly string[])[]): string {
  return `${[`# ${title}`, WRITTEN_BY, ...parts.map((part) => (typeof part === 'string' ? part : part.join('\n')))].join('\n\n')}\n`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => linked(oneLine(cell)).replaceAll('|', '\\|')).join(' | ')} |`.replaceAll('|  |', '| |');
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function linked(text: string): string {
  return text.replace(/(?<![/\w`])docs\/([\w-]+\/)([\w-]+)(\.md(?:#[\w-]+)?)/g, (_, folder: string, name, rest) =>
    folder === 'reference/' ? `[${name}](${name}${rest})` : `[${name}](../${folder}${name}${rest})`,
  );
}

const code = (text: string): string => (text === '' ? '' : `\`${text.replaceAll('`', "'")}\``);

/** Sets every parameter, and the ARNs of an existing table. */
const EVERYTHING: Record<string, unknown> = {
  ...{ observe: true, feedEventBus: 'changes', canaryMinutes: 5 },
  sourceStreamArns: 'arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-01T00:00:00.000',
  existingTableArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/records',
  existingStreamArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/records/stream/2026-01-01T00:00:00.000',
};

function metricsPage(sources: Sources): string {
  const own = ['STACK_METRICS', 'OBSERVER_METRICS', 'MIRROR_METRICS']
    .flatMap((name) => sources.entries('src/deployment/metric-units.ts', name))
    .map(({ name, value, means }) => [code(name), value.replaceAll("'", ''), means]);
  const ofVerdicts = VERDICT_NAMES.map((name) => [code(metricOfVerdict(name)), 'Count', VERDICTS[name].counts]);
  const telemetry = Object.entries(DESCRIPTIONS).map(([name, means]) => [code(name), means]);
  const parameters = readParameters({ stage: 'prod', values: EVERYTHING });
  const site = siteOf({ model: graph, service: 'edgeloom', stage: 'prod', parameters });
  const rows = Object.entries(alarms(site)).map(([name, alarm]) => [
    code(name),
    alarm.means,
    ringsWhen(alarm),
    `[runbook](${runbookOf(name, { ...parameters, docsUrl: '..' })})`,
  ]);
  return page(
    'Metrics and alarms',
    `## Metrics of the functions\n\nIn the namespace \`${NAMESPACE}\`, with the dimensions \`service\` (\`edgeloom\`) and \`table\`. Times are in seconds.`,
    table(['metric', 'unit', 'means'], [...own, ...ofVerdicts]),
    '## Metrics of OpenTelemetry\n\nThose of `edgeloom/telemetry`, in seconds. Counts of a result are counters too: `edgeloom.`, the kind of work, and the name of the count.',
    table(['metric', 'means'], telemetry),
    '## Alarms\n\nTheir names begin with that of the stack, as in `edgeloom-prod-`. Some come with a parameter.',
    table(['alarm', 'means', 'rings when', 'do'], rows),
  );
}

function ringsWhen({ metric, threshold, orStops, period = 300, periods = 1, ofThem = periods }: Alarm): string {
  const metrics = 'namespace' in metric ? [metric] : [...metric];
  const names = [...new Set(metrics.map(({ namespace, name }) => `\`${namespace} ${name}\``))];
  const within = `${ofThem === periods ? '' : `${ofThem} of `}${periods} × ${period} s`;
  if (threshold === undefined) return `${names.join(' + ')} stops for ${within}`;
  const stops = orStops === true ? ', or stops' : '';
  return `${names.join(' + ')} (${metrics[0]!.statistic}) ≥ ${threshold} in ${within}${stops}`;
}

const OF_TESTS: Readonly<Record<string, string>> = {
  EDGELOOM_BENCH_CPU: 'The file that a benchmark of cold starts writes its processor time to.',
  EDGELOOM_BENCH_SHORT: 'Benchmarks take their short extent: whether they run, not how fast.',
  EDGELOOM_BUILT: 'The built entry that the test of an installed package loads.',
  EDGELOOM_LOADED: 'The file that a test writes the loaded modules to.',
  EDGELOOM_TEST_COUNTS: 'The file that a run appends its counts of tests to.',
  EDGELOOM_TEST_ENDPOINT: 'An engine that runs already, instead of one of the tests.',
  EDGELOOM_DEPLOYED_TABLE:
    'A table at that endpoint whose functions are deployed there: one test tries them by the plain SDK.',
  EDGELOOM_TEST_ENGINE: '`dynamodb-local` or `memory`, instead of the embedded engine.',
  EDGELOOM_TEST_EXTENT: '`all` or `quarter` of what is drawn at random; otherwise a little of it.',
  EDGELOOM_TEST_KEEP_SEEDS:
    '`1` keeps in `test/simulator/planted/shown-at.json` the seed at which a planted bug shows late.',
  EDGELOOM_TEST_SEED: 'Repeats what a run has drawn at random.',
};

function environmentPage(sources: Sources): string {
  const settings = sources.file('src/deployment/lambda/settings.ts');
  const functions = [...nodesOf(settings)]
    .filter(ts.isPropertyAssignment)
    .filter(({ name }) => /^(EDGELOOM|AWS)_/.test(name.getText(settings)))
    .map((one) => [code(one.name.getText(settings)), commentOf(one)]);
  return page(
    'Environment variables',
    '## The command line\n\nAn option of a command wins over a variable. Credentials are those of the AWS SDK.',
    table(['variable', 'stands for', 'default'], commandVariables(sources)),
    '## The functions\n\nThe stack sets them; an empty one is not set. `readFunctionSettings` refuses wrong ones with `invalid-environment`.',
    table(['variable', 'means'], functions),
    '## Tests and benchmarks of this repository',
    table(
      ['variable', 'means'],
      Object.entries(OF_TESTS).map(([name, means]) => [code(name), means]),
    ),
  );
}

/** Parses lines such as `config: options.config ?? environment['EDGELOOM_CONFIG'] ?? …`. */
function commandVariables(sources: Sources): string[][] {
  const file = sources.file('packages/cli/shared/settings.ts');
  return [...nodesOf(file)].filter(ts.isPropertyAssignment).flatMap((one) => {
    const text = one.initializer.getText(file);
    const option = /options\.(\w+)/.exec(text)?.[1];
    if (option === undefined) return [];
    const flag = `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const value = /\?\? '([^']+)'$/.exec(text)?.[1] ?? '';
    const names = [...text.matchAll(/environment\['(\w+)'\]/g)].map(([, name]) => name!);
    return names.map((name, i) => [
      code(name),
      i === 0 ? code(flag) : `${code(flag)}, after ${code(names[i - 1]!)}`,
      code(value),
    ]);
  });
}

export function namedVariables(): Map<string, string> {
  const found = new Map<string, string>();
  for (const folder of ['src', 'packages', 'handlers', 'assets', 'test', 'scripts', 'bench', 'examples']) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.([cm]?[jt]s|yml)$/.test(name) || /node_modules|^dist/.test(name)) continue;
      for (const [variable] of readText(join(folder, name)).matchAll(/\bEDGELOOM_[A-Z][A-Z_]*[A-Z]\b/g))
        found.set(variable, join(folder, name));
    }
  }
  // Not a variable: `edgeloom init` replaces this text in a new project's package.json.
  found.delete('EDGELOOM_VERSION');
  return found;
}

function parametersPage(sources: Sources): string {
  const defaults = readParameters({ stage: 'prod' }) as unknown as Readonly<Record<string, unknown>>;
  const dev = readParameters({ stage: 'dev' }) as unknown as Readonly<Record<string, unknown>>;
  const text = (value: unknown): string => (typeof value === 'object' || value === '' ? '' : code(String(value)));
  const rows = sources
    .members('src/deployment/stack/base/parameters.ts', 'Parameters')
    .map(({ name, type, means }) => [
      code(name),
      type.replaceAll("'", ''),
      means,
      text(defaults[name]) + (text(dev[name]) === text(defaults[name]) ? '' : `; \`dev\`: ${text(dev[name])}`),
    ]);
  return page(
    'Parameters of the stack',
    'Set them under `params` in `serverless.yml`, or by `--param NAME=VALUE`: see [deploying](../how-to/deploying.md#parameters). The stage `local` is `dev` with batches of 1,000.',
    table(['parameter', 'type', 'means', 'default'], rows),
  );
}

function errorsPage(sources: Sources): string {
  const text = readText('src/foundation/error-code.ts');
  const messages = messagesByCode(sources);
  const said = [...text.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\n {2}\| '([a-z-]+)'/gs)];
  const rows = said.map(([, comment, one]) => {
    const [means, remedy = ''] = oneLine(comment!.replace(/\n\s*\*/g, ' ')).split(' Remedy: ');
    const made = [...(messages.get(one!) ?? [])].sort();
    return [code(one!), means!, remedy, made.map((message) => message.replaceAll('`', "'")).join('<br>')];
  });
  return page(
    'Errors',
    'An error has a `code`, a message and a hint: [errors](../how-to/errors.md). The messages have … for what differs.',
    table(['code', 'what happened', 'what to do', 'messages'], rows),
  );
}

function messagesByCode(sources: Sources): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of sources.files()) {
    for (const node of nodesOf(file)) {
      const words = ts.isNewExpression(node) || ts.isCallExpression(node) ? (node.arguments ?? []) : [];
      const at = words.findIndex(
        (word) => ts.isStringLiteral(word) && /^[a-z][a-z-]+$/.test(word.text) && word.text.includes('-'),
      );
      const name = ts.isNewExpression(node) || ts.isCallExpression(node) ? node.expression.getText(file) : '';
      if (at < 0 || !/Error$|^super$|^withErrorCode$/.test(name)) continue;
      const one = (words[at] as TypeScript.StringLiteral).text;
      const message = words[at + 1] && textOf(words[at + 1]!);
      if (message === undefined || !/[.…]$/.test(message)) continue;
      found.set(one, (found.get(one) ?? new Set()).add(oneLine(message)));
    }
  }
  return found;
}

const LEVELS = new Set(['debug', 'info', 'warn', 'error']);

function logsPage(sources: Sources): string {
  const groups = new Map<string, string[][]>();
  for (const file of sources.files()) {
    for (const node of nodesOf(file)) {
      const line = ts.isCallExpression(node) ? logLine(sources, file, node) : undefined;
      if (line === undefined) continue;
      const path = sources.path(file);
      groups.set(path, [...(groups.get(path) ?? []), line]);
    }
  }
  const sections = [...groups].sort(([left], [right]) => (left < right ? -1 : 1));
  return page(
    'Log lines',
    'JSON lines of the functions, and of whoever gets a `logger`: a message, its level, and its fields. The functions add `time`, `level` and `requestId`. Fields of values that only a run knows are not listed.',
    ...sections.map(([path, rows]) => [`## ${code(path)}`, '', table(['message', 'level', 'fields'], rows)]),
  );
}

function logLine(sources: Sources, file: TypeScript.SourceFile, call: TypeScript.CallExpression): string[] | undefined {
  const [details, message] = call.arguments;
  const called = call.expression;
  if (details === undefined || message === undefined) return undefined;
  let levels: string[] = [];
  if (ts.isPropertyAccessExpression(called)) levels = [called.name.text];
  else if (ts.isElementAccessExpression(called))
    levels = [...nodesOf(called.argumentExpression)].filter(ts.isStringLiteral).map(({ text }) => text);
  if (levels.length === 0 || !levels.every((level) => LEVELS.has(level))) return undefined;
  if (!/logger$/i.test((called as TypeScript.PropertyAccessExpression).expression.getText(file).replace(/\?$/, '')))
    return undefined;
  const fields = sources.checker.getTypeAtLocation(details).getProperties();
  const text = textOf(message) ?? '…';
  return [text, levels.join(', '), fields.map(({ name }) => code(name)).join(', ')];
}

interface Optioned {
  name: string;
  about: string;
  rows: string[][];
}

function optionsPage(sources: Sources): string {
  const sections = entries().flatMap(({ entry, path }) => {
    const symbol = sources.checker.getSymbolAtLocation(sources.file(path));
    const exported = symbol === undefined ? [] : sources.checker.getExportsOfModule(symbol);
    const optioned = exported
      .filter(({ name }) => !OF_THE_MODEL.includes(name))
      .sort((left, right) => (left.name < right.name ? -1 : 1))
      .flatMap((one) => optionsOf(sources, one));
    const methods = WITH_METHODS.map((name) => name.toLowerCase());
    const isOf = (method: string) => (one: Optioned) => one.name.startsWith(`${method}.`);
    return [
      ...methods.flatMap((method) => optionsSection(`Methods of \`${method}\``, optioned.filter(isOf(method)))),
      ...optionsSection(
        `Functions of \`${entry}\``,
        optioned.filter((one) => !methods.some((method) => isOf(method)(one))),
      ),
    ];
  });
  return page(
    'Options',
    'The options of the methods of readers and writers, and of each function, by entry point. A `?` marks an optional one. [Options of the model](model-options.md) has those of a model file.',
    ...sections,
  );
}

/** If this many functions have an option in common, a section describes it once. */
const SHARED_BY = 4;

function optionsSection(title: string, optioned: readonly Optioned[]): string[] {
  if (optioned.length === 0) return [];
  const keyOf = (row: readonly string[]): string => row.join('|');
  const uses = new Map<string, number>();
  for (const { rows } of optioned) for (const row of rows) uses.set(keyOf(row), (uses.get(keyOf(row)) ?? 0) + 1);
  const isShared = (row: readonly string[]): boolean => uses.get(keyOf(row))! >= SHARED_BY;
  const shared = new Map(
    optioned.flatMap(({ rows }) => rows.filter(isShared).map((row) => [keyOf(row), row] as const)),
  );
  const head = ['option', 'type', 'means'];
  const tables = optioned.map(({ name, about, rows }) => {
    const others = rows.filter(isShared).map(([option]) => option!);
    const own = rows.filter((row) => !isShared(row));
    return [
      `### ${code(name)}\n\n${about}`,
      ...(own.length === 0 ? [] : [table(head, own)]),
      ...(others.length === 0 ? [] : [`Shared: ${others.join(', ')}.`]),
    ].join('\n\n');
  });
  return [
    `## ${title}`,
    ...(shared.size === 0
      ? []
      : [
          `Several of these take the same options; each lists them as *shared*:\n\n${table(head, [...shared.values()])}`,
        ]),
    ...tables,
  ];
}

function entries(): { entry: string; path: string }[] {
  const { name, exports } = JSON.parse(readText('package.json')) as { name: string; exports: Record<string, unknown> };
  return Object.entries(exports).flatMap(([entry, value]) => {
    const types = JSON.stringify(value).match(/dist\/types\/([\w./-]+?)\.d\.c?ts/)?.[1];
    return types === undefined ? [] : [{ entry: name + entry.slice(1), path: `${types}.ts` }];
  });
}

/** Includes parameters that are named or typed like options, and those of reader and writer methods. */
function optionsOf(sources: Sources, exported: TypeScript.Symbol): Optioned[] {
  const { checker } = sources;
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  if (WITH_METHODS.includes(exported.name)) {
    const methods =
      symbol.declarations?.flatMap((one) => (ts.isInterfaceDeclaration(one) ? [...one.members] : [])) ?? [];
    const tables = methods.flatMap((one) =>
      ts.isMethodSignature(one)
        ? optionsOfDeclared(sources, `${exported.name.toLowerCase()}.${one.name.getText()}`, one)
        : [],
    );
    return tables.filter(({ name }, at) => tables.findIndex((other) => other.name === name) === at);
  }
  const declared = symbol.declarations?.find((one) => ts.isFunctionDeclaration(one));
  return declared !== undefined && ts.isFunctionDeclaration(declared)
    ? optionsOfDeclared(sources, exported.name, declared)
    : [];
}

/** `model-options.md` describes the options of these functions. */
const OF_THE_MODEL = ['defineGraph', 'edge', 'node', 'part'];

const WITH_METHODS = ['Reader', 'Writer'];

function optionsOfDeclared(
  sources: Sources,
  name: string,
  declared: TypeScript.FunctionDeclaration | TypeScript.MethodSignature,
): Optioned[] {
  const { checker } = sources;
  const parameters = declared.parameters.filter(({ name, type, dotDotDotToken }) => {
    // The type of a rest parameter has the members of an array. For methods, the last type argument names the options.
    if (dotDotDotToken !== undefined) return ts.isMethodSignature(declared);
    const said = `${name.getText()} ${type?.getText() ?? ''}`;
    return /\b(options|input|request|description|load)\b|Options\b|Input\b/.test(said);
  });
  const rows = parameters.flatMap((parameter) => {
    const { type: given, dotDotDotToken } = parameter;
    const inside = given !== undefined && ts.isTypeReferenceNode(given) ? given.typeArguments?.at(-1) : undefined;
    const place = dotDotDotToken === undefined ? parameter : (inside ?? parameter);
    const type = checker.getNonNullableType(checker.getTypeAtLocation(place));
    const properties = checker.getPropertiesOfType(type).filter((property) => !isInternal(property));
    return properties.map((property) => optionRow(sources, property));
  });
  if (rows.length === 0) return [];
  return [{ name, about: firstSentence(commentOf(declared)), rows }];
}

/** For tests only: the build removes these properties from the declarations. */
function isInternal(property: TypeScript.Symbol): boolean {
  return property.getJsDocTags().some(({ name }) => name === 'internal');
}

function optionRow({ checker }: Sources, property: TypeScript.Symbol): string[] {
  const declared = property.declarations?.[0];
  const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
  const type =
    declared !== undefined && 'type' in declared && declared.type ? (declared.type as TypeScript.Node).getText() : '';
  const means = oneLine(ts.displayPartsToString(property.getDocumentationComment(checker)));
  return [code(`${property.name}${isOptional ? '?' : ''}`), code(shortType(oneLine(type))), means];
}

const LONGEST_TYPE = 80;

function shortType(type: string): string {
  const plain = type.replace(/^\|\s*/, '').replace(/ \| undefined$/, '');
  return plain.length <= LONGEST_TYPE ? plain : `${plain.slice(0, LONGEST_TYPE - 1)}…`;
}

function firstSentence(text: string): string {
  return /^(?:`[^`]*`|[^`])*?[.:](?= |$)/.exec(text)?.[0] ?? text;
}

async function commandsPage(): Promise<string> {
  const program = createProgram();
  const parts: string[] = [
    '## Options of every command',
    table(
      ['option', 'means'],
      program.options.map((option) => [code(option.flags), option.description]),
    ),
  ];
  for (const { name, description, load } of COMMANDS) {
    const command = new Command(name).description(description);
    (await load())(command);
    parts.push(...commandSection(command, `edgeloom ${name}`, 2));
  }
  return page('Commands', COMMANDS_TEXT, ...parts);
}

const COMMANDS_TEXT = [
  'Exit codes: 0 fine, 1 something found or absent, 2 usage or failure, 130, 143 or 129 ended by SIGINT, SIGTERM or SIGHUP',
  '([which commands these signals end in another way](../how-to/operations.md)).',
  'The JSON Schemas of what each prints with `--json` are in [commands.schema.json](commands.schema.json), under its name;',
  'a failure prints `error`, and a command that was stopped and knows how far it came prints its result with `stopped`. `watch` and `subject export` print a document on each line.',
];

const ERROR_SCHEMA = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: { code: { type: 'string' }, message: { type: 'string' }, hint: { type: 'string' }, current: {} },
      required: ['code', 'message', 'hint'],
      additionalProperties: false,
    },
  },
  required: ['error'],
  additionalProperties: false,
};

function schemasPage(sources: Sources): string {
  const { commands, shared } = documentSchemas(sources);
  const lines = [...commands, ['error', ERROR_SCHEMA] as const, ...shared].map(
    ([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`,
  );
  return `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {\n${lines.join(',\n')}\n}}\n`;
}

function commandSection(command: Command, name: string, depth: number): string[] {
  const words = command.registeredArguments.map((one) =>
    one.required ? `<${one.name()}${one.variadic ? '...' : ''}>` : `[${one.name()}${one.variadic ? '...' : ''}]`,
  );
  const described = command.registeredArguments.map((one) => [code(one.name()), one.description]);
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description, defaultValue }) => [
      code(flags),
      defaultValue === undefined || description.includes('default')
        ? description
        : `${description} (default: ${String(defaultValue)})`,
    ]);
  const rows = [...described, ...options];
  return [
    `${'#'.repeat(depth)} ${code([name, ...words].join(' '))}`,
    command.description(),
    ...(rows.length === 0 ? [] : [table(['argument or option', 'means'], rows)]),
    ...command.commands.flatMap((one) => commandSection(one, `${name} ${one.name()}`, depth + 1)),
  ].filter((part) => part !== '');
}
