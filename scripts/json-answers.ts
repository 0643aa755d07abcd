import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Node } from 'typescript/unstable/ast';
import { isCallExpression, isPropertyAccessExpression } from 'typescript/unstable/ast/is';
import { API, type Project } from 'typescript/unstable/sync';
import { anyOf, type JsonSchema, jsonSchemaOfType } from './json-schema-of-type.ts';

/** What a command hands over to be printed under `--json`. */
const printers = /^(?:this\.present|terminal\.json)$/;
/** Every command imports these; what they print belongs to none of them. */
const shared = new Set(['cloud-command', 'main']);

/**
 * The JSON Schema of what each command prints under `--json`, by the type of what it hands over. A command that prints one line an
 * event has one alternative for each.
 *
 * @param root of the package.
 * @param ids of the commands: `data:reset`.
 */
export function jsonAnswers(root: string, ids: readonly string[]): Readonly<Record<string, JsonSchema>> {
  const api = new API({ cwd: root });
  try {
    const settings = path.join(root, 'tsconfig.build.json');
    const project = api.updateSnapshot({ openProjects: [settings] }).getProject(settings);
    if (!project) throw new Error(`${settings} is not a project.`);
    return Object.fromEntries(ids.map((id) => [id, answerOf(project, root, id)]));
  } finally {
    api.close();
  }
}

function answerOf(project: Project, root: string, id: string): JsonSchema {
  const command = path.join(root, 'src/commands', ...id.split(':'));
  const file = existsSync(`${command}.ts`) ? `${command}.ts` : path.join(command, 'index.ts');
  return anyOf([...modulesOf(root, file)].flatMap((module) => printedIn(project, module)));
}

/** A command and the modules of the command line that it is made of. */
function modulesOf(root: string, file: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(file)) return known;
  known.add(file);
  for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(
    /(?: from |\bimport\()'((?:#cli\/|\.\.?\/)[^']+)'/g,
  )) {
    const target = specifier.startsWith('#')
      ? path.join(root, 'src', `${specifier.slice(1)}.ts`)
      : path.resolve(path.dirname(file), specifier);
    if (!shared.has(path.basename(target, '.ts'))) modulesOf(root, target, known);
  }
  return known;
}

function printedIn({ program, checker }: Project, file: string): JsonSchema[] {
  const source = program.getSourceFile(file);
  if (!source) throw new Error(`${file} is not in the program.`);
  const printed: JsonSchema[] = [];
  const visit = (node: Node): void => {
    if (isCallExpression(node) && isPropertyAccessExpression(node.expression)) {
      const [value] = node.arguments;
      const type =
        printers.test(node.expression.getText(source)) && value ? checker.getTypeAtLocation(value) : undefined;
      if (type) printed.push(jsonSchemaOfType(checker, type));
    }
    node.forEachChild(visit);
  };
  visit(source);
  return printed;
}
