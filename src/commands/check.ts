import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { againstFlags } from '#cli/flags/deployment-flags';
import { agentUrlFlags } from '#cli/flags/insights-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';

export default class Check extends CloudCommand {
  static override summary = 'Check all that a push needs, and what was generated: what CI asks in one go.';
  static override description =
    'Types, bundle, load, compile against the schema, permissions.json, and whether typings.d.ts and schema.json are up to date. Writes nothing. Where somebody is signed in, the platform says whose role permissions.json does not name. Ends with exit code 1 when something is wrong. With --insights it asks an agent for slow queries. In a GitHub workflow the problems are annotations.';
  static override examples = [
    '<%= config.bin %> check',
    '<%= config.bin %> check --against database',
    '<%= config.bin %> check --insights known-queries.json --env staging',
    '<%= config.bin %> check --json',
  ];
  static override flags = {
    ...projectFlags,
    ...againstFlags,
    ...environmentFlags,
    ...agentUrlFlags,
    insights: string({
      summary: 'File of known slow queries: fails when an agent has another one.',
      env: 'SERVICE_INSIGHTS',
      helpValue: '<file>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Check);
    const context = await this.createContext();
    const { check } = await import('#flows/check/check');
    const { githubAnnotations } = await import('#cli/rendering/render-checks');
    const { renderCheck } = await import('#cli/rendering/render-checks');
    const { checkWithInsights } = await import('#flows/insights/check-with-insights');
    const { insights, against } = flags;
    const target = { ...targetOf(flags, context), agentUrl: flags['agent-url'], against };
    const result = await (insights === undefined
      ? check(context, target)
      : checkWithInsights(context, { ...target, insights }));
    // What was cut off looks like a problem of the project.
    this.invocation.interrupted.throwIfAborted();
    const problems = result.steps.flatMap((step) => step.problems);
    for (const line of githubAnnotations(problems, context.variables)) this.invocation.terminal.note(line);
    this.present(result, renderCheck);
    if (!result.isPassed) this.invocation.environment.setExitCode(exitCodes.failed);
  }
}
