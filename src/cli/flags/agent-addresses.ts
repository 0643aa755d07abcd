import { agentAddressSchema } from '#contracts/environments';
import type { AgentAddress } from '#flows/platform/reached-agents';
import { cloudError } from '#kernel/errors/cloud-error';

/** Where agents answer, from texts such as `production=https://admin.example.com/service`. Throws `USAGE_INVALID`. */
export function parseAgentAddresses(texts: readonly string[]): readonly AgentAddress[] {
  return texts.map((text) => {
    const [, project, environment = '', url] =
      /^(?:(.+)\/)?([a-z0-9][a-z0-9-]{0,62})=(https?:\/\/.*)$/s.exec(text) ?? [];
    const address = agentAddressSchema.safeParse(url);
    if (address.success) return { project, environment, url: address.data };
    throw cloudError(
      'USAGE_INVALID',
      `"${text.replace(/\/\/[^/]*@/, '//…@')}" is not an address of an agent${url === undefined ? '' : `: ${address.error.issues[0]?.message}`}.`,
      'Write it like production=https://admin.example.com/service. Without TLS, the agent must be on this machine.',
    );
  });
}
