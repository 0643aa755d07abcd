import type { Logger } from '#kernel/ports/logger';
import type { ActivityPlatform } from '../../activity/activity-platform.ts';
import type { IpRuleSource } from '../../surfaces/request/ip-filter.ts';
import type { SignInPlatform } from '../../surfaces/sign-in/sign-in-platform.ts';
import { invalidOption, type ParsedAgentOptions } from '../options/agent-options.ts';
import { type AgentPermissions, createAgentPermissions } from './agent-permissions.ts';
import type { AgentPorts } from './agent-ports.ts';
import type { NoCodePlatform } from './no-code-source.ts';
import { createSchemaPublisher, type SchemaPublisher } from './schema-publisher.ts';

const localPlatform = 'http://127.0.0.1:3310';

/** What an embedded agent has to do with its platform. */
export interface PlatformConnection
  extends AgentPermissions,
    Pick<SchemaPublisher, 'publish'>,
    SignInPlatform,
    IpRuleSource,
    ActivityPlatform,
    NoCodePlatform {
  /** Address of the platform. */
  readonly serverUrl: string;
}

/** Nothing is asked of the platform yet. Throws `AGENT_OPTION_INVALID` where production names none. */
export function connectToPlatform(options: ParsedAgentOptions, ports: AgentPorts, logger: Logger): PlatformConnection {
  const serverUrl = serverUrlOf(options, ports);
  const platform = ports.connectPlatform(serverUrl, options.envSecret);
  const schemas = createSchemaPublisher(platform, logger);
  const permissions = createAgentPermissions(options, platform, serverUrl, ports, logger);
  return {
    ...permissions,
    serverUrl,
    publish: schemas.publish,
    signIn: platform.signIn,
    signedInUser: platform.signedInUser,
    ipRules: platform.ipRules,
    reportActivities: platform.reportActivities,
    modelCustomizations: platform.modelCustomizations,
    sendHttp: platform.sendHttp,
    close: async () => {
      schemas.close();
      await permissions.close();
      await platform.close();
    },
  };
}

function serverUrlOf({ serverUrl, isProduction }: ParsedAgentOptions, ports: AgentPorts): string {
  const configured = serverUrl ?? ports.serverUrl;
  if (configured === undefined && isProduction) {
    throw invalidOption('serverUrl', 'production needs the address of a platform, here or in SERVICE_SERVER_URL');
  }
  return configured ?? localPlatform;
}
