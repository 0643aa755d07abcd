import { boolean, string as stringFlag } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { durationFlag } from '#cli/flags/duration-flag';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';
import { audienceArgument, audienceOf } from '#cli/flags/token-audience';

export default class TokensPrint extends CloudCommand {
  static override summary = 'Print a token of your own, for a variable of the shell.';
  static override description =
    'It ends after an hour or what --expires-in says, and with your sign-in at the latest. Nothing keeps it. A terminal sees it only with --show.';
  static override examples = [
    'TOKEN=$(<%= config.bin %> tokens print agent --read-only)',
    'SERVICE_MCP_TOKEN=$(<%= config.bin %> tokens print mcp --env staging)',
    'SERVICE_AUTH_TOKEN=$(<%= config.bin %> tokens print platform --expires-in 8h)',
  ];
  static override args = audienceArgument;
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    'expires-in': durationFlag({
      summary: 'How long it is valid (default 1h): at most 1h for agent and mcp, 30d for the platform.',
      env: 'SERVICE_EXPIRES_IN',
      most: '30d',
    }),
    'read-only': boolean({ summary: 'Whatever it opens refuses writes with it.', env: 'SERVICE_READ_ONLY' }),
    'agent-url': stringFlag({
      summary: 'Address of the agent, in place of the one that dev or the environment has.',
      env: 'SERVICE_AGENT_URL',
      helpValue: '<url>',
    }),
    show: boolean({ summary: 'Print it on a terminal too.', env: 'SERVICE_SHOW' }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(TokensPrint);
    const context = await this.createContext();
    const { printToken } = await import('#flows/tokens/print-token');
    const { noteToken, refuseTerminal, renderToken } = await import('#cli/rendering/render-sign-in');
    refuseTerminal(this.invocation, args.audience, flags.show);
    const printed = await printToken(context, {
      ...targetOf(flags, context),
      audience: audienceOf(args.audience),
      expiresInSeconds: flags['expires-in'],
      readOnly: flags['read-only'],
      agentUrl: flags['agent-url'],
    });
    noteToken(printed, this.invocation.terminal);
    this.present(printed, renderToken);
  }
}
