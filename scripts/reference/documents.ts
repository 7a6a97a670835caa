import type TypeScript from 'typescript-5.9';
import { type Sources, ts } from './syntax.ts';

/** Derives JSON Schemas of the `--json` documents from the types in the code. */

export type Schema = Readonly<Record<string, unknown>>;

/** Commands by file, in the order in which the file prints. Several commands may share a document. */
const COMMANDS: Readonly<Record<string, readonly (string | readonly string[])[]>> = {
  'project/adopt': ['adopt'],
  'project/init': ['init'],
  'project/stack': ['stack'],
  'read/count': ['count edges', 'count inbound', 'count search'],
  'read/get': ['get'],
  'read/list': ['list nodes', 'list edges', 'list inbound'],
  'read/page': ['list page'],
  'read/search': ['search'],
  'read/total': ['total'],
  'read/watch': [['watch inbound', 'watch search', 'watch get']],
  'run/demo': ['demo', 'demo'],
  'run/dev': ['dev'],
  'run/project': ['project'],
  'run/studio': ['studio'],
  'run/wait': ['wait'],
  'table/cost': ['cost'],
  'table/migrate': ['migrate'],
  'table/table': ['table create', 'table describe', 'table update', 'table delete'],
  'trust/check': ['check'],
  'trust/drill': ['drill'],
  'trust/explain': ['explain'],
  'trust/mirror': ['mirror sync'],
  'trust/observe': ['observe'],
  'trust/rebuild': ['rebuild'],
  'trust/redrive': ['redrive'],
  'trust/status': ['status'],
  'trust/subject': ['subject export', 'subject erase'],
  'write/import': ['import'],
  'write/item': ['put', 'update', 'delete'],
};

const PRINTING = new Set(['inSession', 'inLastingSession', 'inTable', 'inModel', 'bind']);

export function documentSchemas(sources: Sources): { commands: Map<string, Schema>; shared: Map<string, Schema> } {
  const schemas = new Schemas(sources.checker);
  const found = new Map<string, Schema[]>();
  for (const [path, names] of Object.entries(COMMANDS)) {
    const types = documentsOf(sources, `packages/cli/commands/${path}.ts`);
    if (types.length !== names.length) throw new Error(`${path} prints ${types.length} documents, not ${names.length}`);
    for (const [i, type] of types.entries()) {
      for (const name of [names[i]!].flat()) found.set(name, [...(found.get(name) ?? []), schemas.of(type)]);
    }
  }
  const commands = [...found].map(([name, all]) => [name, all.length === 1 ? all[0]! : { anyOf: all }] as const);
  return { commands: new Map(commands), shared: schemas.shared };
}

function documentsOf(sources: Sources, path: string): TypeScript.Type[] {
  const { checker } = sources;
  const found: TypeScript.Type[] = [];
  const jsonOf = (type: TypeScript.Type, at: TypeScript.Node): TypeScript.Type => {
    const members = (type.isUnion() ? type.types : [type]).map((one) => one.getProperty('json'));
    const types = members.flatMap((member) =>
      member === undefined ? [] : [checker.getTypeOfSymbolAtLocation(member, at)],
    );
    return types.length === 1 ? types[0]! : unionOf(types);
  };
  const visit = (node: TypeScript.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const [given] = node.arguments;
      if (PRINTING.has(node.expression.text)) {
        const [signature] = checker.getSignaturesOfType(checker.getTypeAtLocation(given!), ts.SignatureKind.Call);
        const returned = checker.getAwaitedType(checker.getReturnTypeOfSignature(signature!))!;
        found.push(jsonOf(returned, node));
        return;
      }
      if (node.expression.text === 'print') found.push(jsonOf(checker.getTypeAtLocation(given!), node));
    }
    ts.forEachChild(node, visit);
  };
  visit(sources.file(path));
  return found;
}

/** The compiler has no public function that makes a union. */
function unionOf(types: readonly TypeScript.Type[]): TypeScript.Type {
  return { types, isUnion: () => true, flags: ts.TypeFlags.Union } as unknown as TypeScript.Type;
}

class Schemas {
  readonly shared = new Map<string, Schema>();
  private readonly open = new Set<TypeScript.Type>();
  private readonly recursive = new Set<TypeScript.Type>();

  constructor(private readonly checker: TypeScript.TypeChecker) {}

  of(type: TypeScript.Type): Schema {
    const { flags } = type;
    const { TypeFlags } = ts;
    if (flags & (TypeFlags.Any | TypeFlags.Unknown)) return {};
    if (type.isUnion()) return this.once(type, () => this.ofUnion(type.types));
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (flags & TypeFlags.BooleanLiteral) return { const: this.checker.typeToString(type) === 'true' };
    if (flags & (TypeFlags.String | TypeFlags.TemplateLiteral)) return { type: 'string' };
    if (flags & TypeFlags.Number) return { type: 'number' };
    if (flags & TypeFlags.Boolean) return { type: 'boolean' };
    if (flags & TypeFlags.Null) return { type: 'null' };
    // The command prints its lines itself.
    if (flags & TypeFlags.Undefined) return { type: 'object' };
    if (flags & TypeFlags.TypeParameter) return this.of(this.checker.getBaseConstraintOfType(type) ?? type);
    if (this.checker.isArrayLikeType(type)) return { type: 'array', items: this.of(this.elementOf(type)) };
    if (['ExactNumber', 'LosslessNumber'].includes(type.symbol?.name)) return { type: 'number' };
    return this.once(type, () => this.membersOf(type));
  }

  private elementOf(type: TypeScript.Type): TypeScript.Type {
    return this.checker.getIndexTypeOfType(type, ts.IndexKind.Number)!;
  }

  private ofUnion(types: readonly TypeScript.Type[]): Schema {
    const there = types.filter(({ flags }) => !(flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)));
    const schemas = there.map((one) => this.of(one));
    const constants = schemas.filter((schema) => 'const' in schema).map((schema) => schema['const']);
    constants.sort((left, right) => (String(left) < String(right) ? -1 : 1));
    const others = schemas.filter((schema) => !('const' in schema));
    const isBoolean = constants.includes(true) && constants.includes(false);
    const values = isBoolean ? constants.filter((value) => typeof value !== 'boolean') : constants;
    const all = [
      ...(values.length === 0 ? [] : [values.length === 1 ? { const: values[0] } : { enum: values }]),
      ...(isBoolean ? [{ type: 'boolean' }] : []),
      ...others,
    ];
    // The compiler's order of a union's members depends on when it met them.
    const byText = all.map((schema) => [JSON.stringify(schema), schema] as const);
    byText.sort(([left], [right]) => (left < right ? -1 : 1));
    const different = [...new Map(byText).values()];
    if (different.some((schema) => Object.keys(schema).length === 0)) return {};
    return different.length === 1 ? different[0]! : { anyOf: different };
  }

  /** A type that contains itself is shared by name. */
  private once(type: TypeScript.Type, make: () => Schema): Schema {
    const name = (type.aliasSymbol ?? type.symbol)?.name ?? '';
    const reference = { $ref: `#/$defs/${name}` };
    if (this.recursive.has(type)) return reference;
    if (this.open.has(type)) {
      this.recursive.add(type);
      return reference;
    }
    this.open.add(type);
    const schema = make();
    this.open.delete(type);
    if (!this.recursive.has(type)) return schema;
    this.shared.set(name, schema);
    return reference;
  }

  private membersOf(type: TypeScript.Type): Schema {
    const index = this.checker.getIndexTypeOfType(type, ts.IndexKind.String);
    const properties: [string, Schema][] = [];
    const required: string[] = [];
    for (const member of this.checker.getPropertiesOfType(type)) {
      const of = this.checker.getTypeOfSymbol(member);
      if (this.checker.getSignaturesOfType(of, ts.SignatureKind.Call).length > 0) continue;
      const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0 || mayBeUndefined(of);
      if ((of.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never)) !== 0) continue;
      properties.push([member.name, this.of(of)]);
      if (!isOptional) required.push(member.name);
    }
    return {
      type: 'object',
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required.length > 0 && { required }),
      additionalProperties: index === undefined ? false : this.of(index),
    };
  }
}

function mayBeUndefined(type: TypeScript.Type): boolean {
  return type.isUnion() && type.types.some(({ flags }) => (flags & ts.TypeFlags.Undefined) !== 0);
}
