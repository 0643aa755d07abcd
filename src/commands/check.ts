import { CloudCommand } from '#cli/command/cloud-command';
import { againstFlags } from '#cli/flags/deployment-flags';
import { projectFlags } from '#cli/flags/project-flags';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';

export default class Check extends CloudCommand {
  static override summary = 'Check all that a push needs, and what was generated: what CI asks in one go.';
  static override description =
    'Types, bundle, load, compile against the schema, permissions.json, and whether typings.d.ts and schema.json are up to date. Writes nothing. Where somebody is signed in, the platform says whose role permissions.json does not name. Ends with exit code 1 when something is wrong. In a GitHub workflow the problems are annotations.';
  static override examples = [
    '<%= config.bin %> check',
    '<%= config.bin %> check --against database',
    '<%= config.bin %> check --json',
  ];
  static override flags = { ...projectFlags, ...againstFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Check);
    const context = await this.createContext();
    const { check } = await import('#flows/check/check');
    const { githubAnnotations } = await import('#cli/rendering/render-checks');
    const { renderCheck } = await import('#cli/rendering/render-checks');
    const folder = flags.project ?? context.workingFolder;
    const result = await check(context, { folder, against: flags.against });
    const problems = result.steps.flatMap((step) => step.problems);
    for (const line of githubAnnotations(problems, context.variables)) this.invocation.terminal.note(line);
    this.present(result, renderCheck);
    if (!result.isPassed) this.invocation.environment.setExitCode(exitCodes.failed);
  }
}
