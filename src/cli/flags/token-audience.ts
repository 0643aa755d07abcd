import { string } from '@oclif/core/args';
import type { TokenAudience } from '#contracts/printed-tokens';

const tokenAudiences = ['agent', 'mcp', 'platform'] as const satisfies readonly TokenAudience[];

/** The argument for what a printed token opens. */
export const audienceArgument = {
  audience: string({
    required: true,
    options: [...tokenAudiences],
    description: 'What it opens: the REST API of the agent, its MCP server, or the platform.',
  }),
};

/** The parser lets no other value through. */
export function audienceOf(text: string): TokenAudience {
  const found = tokenAudiences.find((audience) => audience === text);
  if (found) return found;
  throw new TypeError(`No token is for ${text}.`);
}
