/**
 * Writes the type declarations of each entry of the package into one file, below `dist` or the folder that is named. Each
 * exported type is written out as it resolves, so that the file imports neither zod nor ky: what a view has is inferred
 * from zod's schemas, and a bundler of declarations would take in zod's own types with it. Types of other packages are
 * imported, those of the platform named.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  API,
  type Checker,
  type Signature,
  SignatureKind,
  type Symbol as Symbol_,
  SymbolFlags,
  type Type,
  TypeFlags,
} from 'typescript/unstable/sync';

const ROOT = join(import.meta.dirname, '..');
/** A type that goes deeper contains itself; it has to be exported under a name. */
const DEEPEST = 12;

const ENTRIES = [
  { path: 'src/client/index.ts', name: 'client' },
  { path: 'src/viem.ts', name: 'viem' },
];

function writeDeclarations(folder: string): void {
  const api = new API({ cwd: ROOT });
  try {
    const config = join(import.meta.dirname, 'declarations.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error('there is no declarations.json');
    const exported = new Map<number, Imported>();
    mkdirSync(folder, { recursive: true });
    for (const { path, name } of ENTRIES) {
      const file = project.program.getSourceFile(join(ROOT, path));
      const module = file && project.checker.getSymbolAtLocation(file);
      if (module === undefined) throw new Error(`${path} exports nothing`);
      const exports = project.checker.getExportsOfModule(module);
      const declarations = new Declarations(project.checker, exports, exported);
      writeFileSync(join(folder, `${name}.d.ts`), declarations.text());
      for (const [id, type] of declarations.names) exported.set(id, { name: type, from: `./${name}.js` });
    }
  } finally {
    api.close();
  }
}

interface Imported {
  readonly name: string;
  readonly from: string;
}

class Declarations {
  /** Of its own types, by their id. */
  readonly names = new Map<number, string>();
  readonly #checker: Checker;
  readonly #exports: readonly Symbol_[];
  readonly #others: ReadonlyMap<number, Imported>;
  readonly #imports = new Map<string, Set<string>>();

  constructor(checker: Checker, exports: readonly Symbol_[], others: ReadonlyMap<number, Imported>) {
    this.#checker = checker;
    this.#others = new Map(others);
    this.#exports = exports.map((symbol) =>
      symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    );
    for (const symbol of this.#exports) {
      if (symbol.flags & SymbolFlags.Type) this.names.set(this.#declared(symbol).id, symbol.name);
    }
  }

  text(): string {
    const all = this.#exports.map((symbol) => this.#docs(symbol, '') + this.#export(symbol));
    const imports = [...this.#imports].map(
      ([from, names]) => `import type { ${[...names].sort().join(', ')} } from '${from}';\n`,
    );
    return `${[...imports, ...all].join('\n')}\n`;
  }

  #export(symbol: Symbol_): string {
    const { name } = symbol;
    if (symbol.flags & SymbolFlags.Function) {
      const type = this.#checker.getTypeOfSymbol(symbol);
      const [signature] = type ? this.#checker.getSignaturesOfType(type, SignatureKind.Call) : [];
      if (signature === undefined) throw new Error(`${name} cannot be called`);
      return `export declare function ${name}${this.#signature(signature, ': ', 0)};\n`;
    }
    const type = this.#declared(symbol);
    if (symbol.flags & SymbolFlags.Class) return this.#class(symbol, type);
    const parameters = type.isTypeReference() ? this.#checker.getTypeArguments(type) : [];
    const own = parameters.filter((parameter) => parameter.isTypeParameter());
    const list = own.length === 0 ? '' : `<${own.map((one) => nameOf(one)).join(', ')}>`;
    const isPlain = type.flags & (TypeFlags.Object | TypeFlags.Intersection) && this.#isOurs(type);
    if (symbol.flags & SymbolFlags.Interface || (isPlain && !this.#isNamedReference(type, symbol))) {
      return `export interface ${name}${list} ${this.#members(type, 0)}\n`;
    }
    this.names.delete(type.id);
    const text = `export type ${name}${list} = ${this.#print(type, 0)};\n`;
    this.names.set(type.id, name);
    return text;
  }

  /** `ListView<AlertView>` under a name of its own. */
  #isNamedReference(type: Type, symbol: Symbol_): boolean {
    const target = type.isTypeReference() ? this.names.get(type.getTarget().id) : undefined;
    return target !== undefined && target !== symbol.name;
  }

  #class(symbol: Symbol_, type: Type): string {
    const [base] = type.isClassOrInterface() ? this.#checker.getBaseTypes(type) : [];
    const statics = this.#checker.getTypeOfSymbol(symbol);
    const made = statics ? this.#checker.getSignaturesOfType(statics, SignatureKind.Construct) : [];
    const makers = made.map((signature) => `  constructor${this.#signature(signature, null, 1)};\n`);
    const heritage = base === undefined ? '' : ` extends ${nameOf(base)}`;
    const inherited = new Set(base ? this.#checker.getPropertiesOfType(base).map(({ id }) => id) : []);
    const members = this.#members(type, 0, (member) => !inherited.has(member.id));
    return `export declare class ${symbol.name}${heritage} ${members.replace('{\n', `{\n${makers.join('')}`)}\n`;
  }

  #print(type: Type, depth: number): string {
    if (depth > DEEPEST) throw new Error(`a type is too deep: ${this.#checker.typeToString(type)}`);
    const name = this.names.get(type.id);
    if (name !== undefined) return name;
    const other = this.#others.get(type.id);
    if (other !== undefined) return this.#import(other);
    const alias = type.getAliasSymbol();
    const given = type.getAliasTypeArguments();
    const isOfOthers =
      alias !== undefined && [alias, given[0]?.getAliasSymbol()].some((one) => this.#isOfPackage(one));
    // `Pick` of another package's type stays as it is.
    if (isOfOthers) return this.#named(alias, given, depth);
    if (type.isUnionType()) return this.#union(type.getTypes() ?? [], depth);
    if (type.isTemplateLiteralType() || type.flags & TypeFlags.Intrinsic || type.isLiteralType()) {
      return this.#checker.typeToString(type);
    }
    if (type.isTypeParameter()) return nameOf(type);
    if (type.isTypeReference() && this.#checker.isArrayLikeType(type)) return this.#list(type, depth);
    const symbol = type.getSymbol();
    if (symbol !== undefined && !this.#isOurs(type)) {
      return this.#named(symbol, type.isTypeReference() ? this.#checker.getTypeArguments(type) : [], depth);
    }
    if (type.isTypeReference()) {
      const target = this.names.get(type.getTarget().id);
      const given = this.#checker.getTypeArguments(type).map((one) => this.#print(one, depth + 1));
      if (target !== undefined) return `${target}<${given.join(', ')}>`;
    }
    const [call] = this.#checker.getSignaturesOfType(type, SignatureKind.Call);
    if (call !== undefined) return this.#signature(call, ' => ', depth);
    if (type.isIntersectionType() && type.getTypes()?.some((part) => !(part.flags & TypeFlags.Object))) {
      return (type.getTypes() ?? []).map((part) => this.#print(part, depth + 1)).join(' & ');
    }
    return this.#members(type, depth);
  }

  #union(types: readonly Type[], depth: number): string {
    const parts = types
      .map((one) => (one.isBooleanLiteralType() ? 'boolean' : this.#print(one, depth)))
      .map((part) => (part.startsWith('(') ? `(${part})` : part));
    const isLast = (part: string) => Number(part === 'null') + 2 * Number(part === 'undefined');
    return [...new Set(parts)].toSorted((a, b) => isLast(a) - isLast(b)).join(' | ');
  }

  #list(type: Type, depth: number): string {
    const items = type.isTypeReference() ? this.#checker.getTypeArguments(type) : [];
    const texts = items.map((item) => this.#print(item, depth));
    if (this.#checker.isTupleType(type)) return `readonly [${texts.join(', ')}]`;
    const [text = 'unknown'] = texts;
    return `readonly ${/[ |]/.test(text) && !text.startsWith('{') ? `(${text})` : text}[]`;
  }

  #named(symbol: Symbol_, given: readonly Type[], depth: number): string {
    if (this.#isOfPackage(symbol)) this.#import({ name: symbol.name, from: packageOf(symbol) });
    const texts = given.map((one) => this.#print(one, depth));
    return texts.length === 0 ? symbol.name : `${symbol.name}<${texts.join(', ')}>`;
  }

  #import({ name, from }: Imported): string {
    this.#imports.set(from, (this.#imports.get(from) ?? new Set()).add(name));
    return name;
  }

  #members(type: Type, depth: number, isShown: (member: Symbol_) => boolean = () => true): string {
    const pad = '  '.repeat(depth + 1);
    const shown = this.#checker
      .getPropertiesOfType(type)
      .filter((member) => !/[#@]/.test(member.name) && isShown(member) && !this.#isInternal(member));
    const lines = shown.map((member) => this.#docs(member, pad) + this.#member(member, depth + 1, pad));
    const indexes = this.#checker
      .getIndexInfosOfType(type)
      .map(
        ({ keyType, valueType }) =>
          `${pad}readonly [key: ${this.#print(keyType, depth)}]: ${this.#print(valueType, depth + 1)};\n`,
      );
    return `{\n${[...indexes, ...lines].join('')}${'  '.repeat(depth)}}`;
  }

  #member(member: Symbol_, depth: number, pad: string): string {
    const type = this.#checker.getTypeOfSymbol(member);
    if (type === undefined) throw new Error(`${member.name} has no type`);
    const isOptional = (member.flags & SymbolFlags.Optional) !== 0;
    const [call] = this.#checker.getSignaturesOfType(type, SignatureKind.Call);
    if (call !== undefined && !isOptional) {
      return `${pad}${member.name}${this.#signature(call, ': ', depth)};\n`;
    }
    const text = this.#print(type, depth);
    return `${pad}readonly ${member.name}${isOptional ? '?' : ''}: ${text};\n`;
  }

  #signature(signature: Signature, arrow: string | null, depth: number): string {
    const parameters = signature.getParameters().map((parameter, at) => {
      const type = this.#checker.getParameterType(signature, at);
      const node = parameter.valueDeclaration?.resolve();
      const isOptional = node !== undefined && 'initializer' in node && node.initializer !== undefined;
      const isMarked = node !== undefined && 'questionToken' in node && node.questionToken !== undefined;
      // One that is taken apart has no name of its own.
      const name = /^[a-z]\w*$/i.test(parameter.name) ? parameter.name : 'options';
      if (type === undefined) throw new Error(`${name} has no type`);
      if (!isOptional && !isMarked) return `${name}: ${this.#print(type, depth)}`;
      const isDefined = (one: Type) => !(one.flags & TypeFlags.Undefined);
      const parts = type.isUnionType() ? (type.getTypes() ?? []).filter(isDefined) : [type];
      return `${name}?: ${parts.length > 1 ? this.#union(parts, depth) : this.#print(parts[0] ?? type, depth)}`;
    });
    const list = `(${parameters.join(', ')})`;
    if (arrow === null) return list;
    const returned = this.#checker.getReturnTypeOfSignature(signature);
    return `${list}${arrow}${returned ? this.#print(returned, depth) : 'void'}`;
  }

  #docs(symbol: Symbol_, pad: string): string {
    const tags = symbol.getJsDocTags(this.#checker).map(({ name, text = '' }) => `@${name} ${text}`.trim());
    const text = [symbol.getDocumentationComment(this.#checker), ...tags]
      .join('\n')
      .replaceAll(/\{@link (\w+)\}/g, '`$1`')
      .trim();
    if (text === '') return '';
    const lines = text.split('\n');
    if (lines.length === 1) return `${pad}/** ${text} */\n`;
    return `${pad}/**\n${lines.map((line) => `${`${pad} * ${line}`.trimEnd()}\n`).join('')}${pad} */\n`;
  }

  #isInternal(symbol: Symbol_): boolean {
    return symbol.getJsDocTags(this.#checker).some(({ name }) => name === 'internal');
  }

  #declared(symbol: Symbol_): Type {
    return this.#checker.getDeclaredTypeOfSymbol(symbol);
  }

  /** Declared here, or nowhere, as mapped and inferred types are. */
  #isOurs(type: Type): boolean {
    const symbol = type.getSymbol();
    if (symbol === undefined || symbol.name.startsWith('__')) return true;
    return symbol.declarations.some(
      ({ path }) => !path.includes('/node_modules/') && !path.includes('/lib.'),
    );
  }

  #isOfPackage(symbol: Symbol_ | undefined): boolean {
    const path = symbol?.declarations[0]?.path ?? '';
    return (
      path.includes('/node_modules/') &&
      !/node_modules\/(@types\/node|@?typescript|undici-types)\b/.test(path)
    );
  }
}

function nameOf(type: Type): string {
  const symbol = type.getSymbol();
  if (symbol === undefined) throw new Error('a type has no name');
  return symbol.name;
}

function packageOf({ name, declarations }: Symbol_): string {
  const path = relative(ROOT, declarations[0]?.path ?? '');
  const [, scope = '', rest = ''] = /node_modules\/(@[^/]+\/)?([^/]+)/.exec(path) ?? [];
  const from = `${scope}${rest}`;
  const { types } = JSON.parse(readFileSync(join(ROOT, 'node_modules', from, 'package.json'), 'utf8'));
  if (typeof types !== 'string') throw new Error(`${name} is of ${from}, which declares no types`);
  return from;
}

writeDeclarations(process.argv[2] ?? 'dist');
