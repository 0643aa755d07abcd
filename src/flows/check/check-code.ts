import path from 'node:path';
import type { PermissionFile } from '#contracts/permission-file';
import type { SchemaDocument } from '#contracts/schema-document';
import { CloudError, type CloudErrorInput } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';
import { type Project, readPermissions } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { packageManagerOf } from '../packages/package-manager.ts';
import { unreadablePackages, usesPlugAndPlay } from '../packages/plug-and-play.ts';
import { loadCode } from '../project-agent/load-once.ts';
import { withCodeFrame } from '../project-agent/with-code-frame.ts';
import { checkTypes, typeError } from './check-types.ts';
import { type CheckedStep, failed, passed, skipped, stepOf } from './checked-step.ts';
import type { PreparedCheck } from './prepared-check.ts';

/** What built code makes of the databases. */
export interface LoadedCode {
  readonly schema: SchemaDocument;
  readonly typings: string;
  /** The parts of the databases that are left out, and why; patterns that may take long. */
  readonly warnings: readonly string[];
}

export interface CheckedCode {
  readonly steps: readonly CheckedStep[];
  /** `undefined` for code that does not load. */
  readonly loaded: LoadedCode | undefined;
  /** The `permissions.json` of the project, where it has one that is valid. */
  readonly rights: PermissionFile | undefined;
}

/**
 * All that must hold before code may become a version: its types, that it loads and compiles against the schema of its
 * databases, and its `permissions.json`.
 */
export async function checkCode(
  context: FlowContext,
  project: Project,
  code: string,
  check: PreparedCheck,
): Promise<CheckedCode> {
  const [types, { step: load, value: loaded }] = await Promise.all([
    typesOf(context, project),
    stepOf('load', () => compile(context, project, code, check)),
  ]);
  const { step: permissions, value: rights } = await stepOf('permissions', () =>
    readPermissions(context.fs, project.root, loaded?.schema),
  );
  const hasFile = rights !== undefined || permissions.state === 'failed';
  return {
    steps: [
      types,
      withWarnings(load, loaded),
      hasFile ? permissions : skipped('permissions', 'The project has no permissions.json.'),
    ],
    loaded,
    rights,
  };
}

/** What the code and the databases are loaded without, and patterns that may take long. */
function withWarnings(step: CheckedStep, loaded: LoadedCode | undefined): CheckedStep {
  return loaded && loaded.warnings.length > 0 ? { ...step, warnings: loaded.warnings } : step;
}

async function compile(
  context: FlowContext,
  project: Project,
  code: string,
  check: PreparedCheck,
): Promise<LoadedCode> {
  const [savedSchema, worker] = await Promise.all([check.savedSchema(), check.worker()]);
  try {
    return await loadCode(
      context,
      project,
      code,
      async ({ agent, load }) => {
        const schema = await agent.schema(null);
        if (!schema) throw new TypeError('A schema that nobody knows is handed over.');
        const asked = await agent.ask('warningsOfCheck', { asksDatabases: savedSchema === undefined });
        const warnings = [...load.warnings, ...asked];
        return { schema: schema.document, typings: await agent.typings(), warnings };
      },
      { savedSchema, worker },
    );
  } catch (error) {
    throw await withCodeFrame(context.fs, error);
  }
}

async function typesOf(context: FlowContext, project: Project): Promise<CheckedStep> {
  const settings = 'tsconfig.json';
  if (!(await context.fs.exists(path.join(project.root, settings))))
    return skipped('types', `The project has no ${settings}.`);
  const problems = await context.reporter.step('Checking the types', () =>
    checkTypes(context, project.root, { signal: new AbortController().signal }),
  );
  if (problems === null) return skipped('types', await whyNoCompiler(context, project.root));
  return problems.length === 0 ? passed('types') : failed('types', problems.map(typeError));
}

async function whyNoCompiler(context: FlowContext, root: string): Promise<string> {
  if (await usesPlugAndPlay(context.fs, root)) return `${unreadablePackages.message}. ${unreadablePackages.nextStep}`;
  return `TypeScript is not installed: ${await packageManagerOf(context, root)} install`;
}

/** Check code that is to become a version. Rejects with the first problem, which says how many more there are. */
export async function checkBeforePush(
  context: FlowContext,
  project: Project,
  code: string,
  check: PreparedCheck,
): Promise<LoadedCode> {
  const { steps, loaded } = await checkCode(context, project, code, check);
  const [first, ...others] = steps.flatMap(({ problems }) => problems);
  if (first) throw others.length === 0 ? first : withOthers(first, others.length);
  for (const { name, state, note } of steps) {
    if (name === 'types' && state === 'skipped' && note) context.reporter.warn(`The types are not checked. ${note}`);
  }
  if (!loaded) throw new TypeError('Code that passes its check has loaded.');
  return loaded;
}

function withOthers(first: CloudError, others: number): CloudError {
  const { location } = first;
  return new CloudError({
    ...reportOfError(first),
    message: `${first.message} (and ${others} more)`,
    nextSteps: [...first.nextSteps, 'See all of them: vendor-cloud check'],
    ...(location ? { location } : {}),
    cause: first,
  } as CloudErrorInput);
}
