import type { PermissionFile } from '#contracts/permission-file';
import { type ErrorReport, reportOfError } from '#kernel/errors/error-report';
import { openProject, type Project } from '#project/index';
import { prepareVersion } from '../build/prepare-version.ts';
import type { FlowContext } from '../flow-context.ts';
import { checkCode, type LoadedCode } from './check-code.ts';
import { checkSchemaFile } from './check-schema-file.ts';
import { type CheckedStep, type CheckName, failed, passed, skipped, stepOf } from './checked-step.ts';
import type { CompileAgainst } from './compile-against.ts';
import { peopleLeftOut } from './people-left-out.ts';
import { schemaToCompile } from './schema-to-compile.ts';
import { typingsDrift } from './typings-drift.ts';

export interface CheckInput {
  readonly folder: string;
  /** What the code is compiled against. Default: `schema.json` where there is one, else the databases. */
  readonly against?: CompileAgainst | undefined;
}

export interface CheckResult {
  readonly project: string;
  readonly isPassed: boolean;
  readonly steps: readonly {
    readonly name: CheckName;
    readonly state: CheckedStep['state'];
    /** Why it was skipped. */
    readonly note?: string;
    readonly problems: readonly ErrorReport[];
    /** What is no fault of the project, and may still be a mistake. */
    readonly warnings?: readonly string[];
  }[];
}

/**
 * All that holds for a project that can be pushed, looked at in one go: what is wrong in one place does not hide what is wrong in
 * another. Writes nothing. A platform is asked for one thing, by somebody who is signed in: whose role the rights do not name. Rejects only
 * for what is no project.
 */
export async function check(context: FlowContext, input: CheckInput): Promise<CheckResult> {
  const project = await openProject(context.fs, input.folder, context.variables);
  const steps = (await checkProject(context, project, input.against)).map(({ problems, ...step }) => ({
    ...step,
    problems: problems.map(reportOfError),
  }));
  return { project: project.config.name, isPassed: steps.every(({ state }) => state !== 'failed'), steps };
}

async function checkProject(
  context: FlowContext,
  project: Project,
  against: CompileAgainst | undefined,
): Promise<readonly CheckedStep[]> {
  const { step: bundle, value: prepared } = await stepOf('bundle', () => prepareVersion(context, project));
  if (!prepared) return [bundle];
  const { step: choice, value: chosen } = await stepOf('load', async () => ({
    savedSchema: await schemaToCompile(context, project, against),
  }));
  if (!chosen) return [bundle, choice];
  const { savedSchema } = chosen;
  const { steps, loaded, rights } = await checkCode(context, project, prepared.code, savedSchema);
  const [withPeople, typings, schema] = await Promise.all([
    rights ? withPeopleLeftOut(context, project, steps, rights) : steps,
    checkTypings(context, project, loaded, savedSchema !== undefined),
    savedSchema
      ? skipped('schema', 'Not compared with the databases; --against database does that.')
      : checkSchemaFile(context, project),
  ]);
  return [bundle, ...withPeople, typings, schema];
}

/** The steps, with a warning for each role that people have and the rights do not name. */
async function withPeopleLeftOut(
  context: FlowContext,
  project: Project,
  steps: readonly CheckedStep[],
  rights: PermissionFile,
): Promise<readonly CheckedStep[]> {
  const found = await peopleLeftOut(context, project, rights);
  return steps.map((step) => (step.name === 'permissions' ? { ...step, ...found } : step));
}

async function checkTypings(
  context: FlowContext,
  project: Project,
  loaded: LoadedCode | undefined,
  isOfFile: boolean,
): Promise<CheckedStep> {
  if (!loaded) return skipped('typings', 'The code does not load.');
  const drift = await typingsDrift(context, project, { current: loaded.typings, isOfFile });
  return drift ? failed('typings', [drift]) : passed('typings');
}
