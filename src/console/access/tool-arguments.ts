import { isExactNumber, parseExactly } from '../wire/exact-json.ts';
import { own } from '../wire/own.ts';

/** What the schemas of tools use of JSON Schema. The agent checks all of it. */
export interface ToolSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ToolSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | ToolSchema;
  readonly items?: ToolSchema;
  readonly anyOf?: readonly ToolSchema[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** How a form asks for an argument: a line of text, a number, a box, a choice, or JSON for what has parts. */
type Widget = 'text' | 'number' | 'box' | 'choice' | 'json';

export interface ToolArgument {
  readonly name: string;
  readonly schema: ToolSchema;
  readonly widget: Widget;
  readonly isRequired: boolean;
}

/** The arguments of a tool, those that it needs first. */
export function argumentsOf({ properties = {}, required = [] }: ToolSchema): readonly ToolArgument[] {
  const all = Object.entries(properties).map(([name, schema]) => {
    return { name, schema, widget: widgetOf(schema), isRequired: required.includes(name) };
  });
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)];
}

function widgetOf(schema: ToolSchema): Widget {
  if (schema.enum) return 'choice';
  const types = typesOf(schema);
  if (types.length === 0 || types.some((type) => type === 'object' || type === 'array')) return 'json';
  if (types.includes('string')) return 'text';
  return types.includes('boolean') ? 'box' : 'number';
}

function typesOf({ type, anyOf = [] }: ToolSchema): readonly string[] {
  return type === undefined ? anyOf.flatMap(typesOf) : [type].flat();
}

/** What is wrong with a value, and where: the name of the argument, and its parts behind points. */
export interface ArgumentProblem {
  readonly at: string;
  readonly problem: 'json' | 'missing' | 'unknown' | 'type' | 'choice' | 'range';
  /** What would be right. */
  readonly wanted: string;
}

/** The arguments that texts of a form stand for. An empty text leaves its argument out. */
export function readForm(
  schema: ToolSchema,
  texts: Readonly<Record<string, string>>,
): { readonly sent: Readonly<Record<string, unknown>>; readonly problems: readonly ArgumentProblem[] } {
  const broken: ArgumentProblem[] = [];
  const entries = argumentsOf(schema).flatMap(({ name, widget }): (readonly [string, unknown])[] => {
    const text = own(texts, name) ?? '';
    if (text === '') return [];
    if (widget === 'text' || widget === 'choice') return [[name, text]];
    try {
      return [[name, parseExactly(text)]];
    } catch {
      broken.push({ at: name, problem: 'json', wanted: widget });
      return [];
    }
  });
  const sent = Object.fromEntries(entries);
  const isRead = ({ at }: ArgumentProblem) => broken.every((one) => one.at !== at);
  return { sent, problems: [...broken, ...problemsIn(sent, schema).filter(isRead)] };
}

/** The arguments in a text of JSON. */
export function readJson(schema: ToolSchema, text: string): ReturnType<typeof readForm> {
  const nothing = { sent: {}, problems: [{ at: '', problem: 'json', wanted: 'object' }] } as const;
  try {
    const sent = text.trim() === '' ? {} : parseExactly(text);
    if (!isObject(sent)) return nothing;
    return { sent, problems: problemsIn(sent, schema) };
  } catch {
    return nothing;
  }
}

/** The texts of a form that stand for some arguments. */
export function textsOf(schema: ToolSchema, sent: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    argumentsOf(schema).flatMap(({ name, widget }) => {
      const value = own(sent, name);
      if (value === undefined) return [];
      const isPlain = typeof value === 'string' && (widget === 'text' || widget === 'choice');
      return [[name, isPlain ? value : JSON.stringify(value, null, 2)]];
    }),
  );
}

function problemsIn(value: unknown, schema: ToolSchema, at = ''): readonly ArgumentProblem[] {
  if (schema.anyOf) {
    const found = schema.anyOf.map((each) => problemsIn(value, each, at));
    return found.some((problems) => problems.length === 0) ? [] : (found[0] ?? []);
  }
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return [{ at, problem: 'type', wanted: types.join(', ') }];
  }
  if (schema.enum && !schema.enum.includes(value)) return [{ at, problem: 'choice', wanted: schema.enum.join(', ') }];
  if (typeof value === 'number') return inRange(at, value, schema.minimum, schema.maximum);
  if (Array.isArray(value)) {
    const { items } = schema;
    const parts = items ? value.flatMap((item, index) => problemsIn(item, items, `${at}.${index}`)) : [];
    return [...inRange(at, value.length, schema.minItems, schema.maxItems), ...parts];
  }
  return isObject(value) ? problemsOfMembers(value, schema, at) : [];
}

function problemsOfMembers(
  value: Readonly<Record<string, unknown>>,
  { properties = {}, required = [], additionalProperties }: ToolSchema,
  at: string,
): readonly ArgumentProblem[] {
  const placed = (name: string) => (at === '' ? name : `${at}.${name}`);
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  return [
    ...missing.map((name) => ({ at: placed(name), problem: 'missing', wanted: name }) as const),
    ...Object.entries(value).flatMap(([name, part]) => {
      const known = own(properties, name);
      if (known) return problemsIn(part, known, placed(name));
      if (additionalProperties !== false) return [];
      return [{ at: placed(name), problem: 'unknown', wanted: Object.keys(properties).join(', ') } as const];
    }),
  ];
}

function inRange(
  at: string,
  value: number,
  least = Number.NEGATIVE_INFINITY,
  most = Number.POSITIVE_INFINITY,
): readonly ArgumentProblem[] {
  if (value >= least && value <= most) return [];
  return [{ at, problem: 'range', wanted: [least, most].filter(Number.isFinite).join('–') }];
}

function isOfType(value: unknown, type: string): boolean {
  // The agent looks at the digits.
  if (isExactNumber(value)) return type === 'number' || type === 'integer';
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
}
