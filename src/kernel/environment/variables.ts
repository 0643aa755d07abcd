/** An environment variable; `docs/environment.md` is written from it. */
export interface VariableDefinition {
  readonly description: string;
  readonly default?: string;
  /** Never printed, logged or stored outside a file of mode 0600. */
  readonly isSecret?: boolean;
}

/** Every environment variable the product reads, apart from those a project's own configuration refers to. */
export const variables = {
  SERVICE_ENV_SECRET: {
    description: 'Secret of the environment the agent belongs to: 64 lower-case hexadecimal digits.',
    isSecret: true,
  },
  SERVICE_AUTH_SECRET: {
    description:
      'Secret the agent signs and checks its session tokens with. In development a new one is made for each run.',
    isSecret: true,
  },
  SERVICE_AUTH_TOKEN: { description: 'Token of the person or the CI job that talks to the platform.', isSecret: true },
  SERVICE_KEYCHAIN: {
    description: '`false`: `login` keeps tokens in a file, and not in the keychain of the system.',
    default: 'true',
  },
  SERVICE_HEC_TOKEN: {
    description: 'Token of the HTTP event collector that `audit tail --to hec:…` sends a log to.',
    isSecret: true,
  },
  SERVICE_SERVER_URL: { description: 'Address of the platform server.', default: 'http://127.0.0.1:3310' },
  SERVICE_ENV: { description: 'Name of the environment of a command, instead of the one of the token.' },
  SERVICE_PLATFORM_KEY: {
    description:
      'Secret with which the platform encrypts variables and signing keys, instead of the file `platform.key`.',
    isSecret: true,
  },
  SERVICE_SSO_ISSUER: {
    description:
      'Issuer of the OpenID provider of a company. Its people sign in to the platform with their company accounts.',
  },
  SERVICE_SSO_CLIENT_ID: { description: 'Client id of the platform at the OpenID provider of the company.' },
  SERVICE_SSO_CLIENT_SECRET: {
    description: 'Client secret of the platform at the OpenID provider of the company.',
    isSecret: true,
  },
  SERVICE_SSO_DOMAINS: { description: 'Domains of the e-mail addresses of the company, separated by commas.' },
  SERVICE_SSO_ONLY: {
    description: '`true`: people sign in to the platform only with company accounts, not with passwords or tokens.',
  },
  SERVICE_SSO_SECOND_FACTORS: {
    description:
      'What `amr` or `acr` of the OpenID provider of the company says where somebody gave a second factor, separated by commas: `mfa`. Without it, the platform asks for its own.',
  },
  SERVICE_SSO_GROUPS_CLAIM: {
    description:
      'The claim in which the OpenID provider of the company names the groups of a person. Default: `groups`.',
  },
  SERVICE_SSO_SCOPES: {
    description:
      'Scopes that the OpenID provider of the company needs beside `openid email profile` to name groups, separated by blanks.',
  },
  SERVICE_SMTP_HOST: {
    description: 'Mail server that the platform sends mails about approvals through. Without it, it sends none.',
  },
  SERVICE_SMTP_PORT: {
    description: 'Port of the mail server. Default: 587 for `starttls`, 465 for `tls`, 25 for `none`.',
  },
  SERVICE_SMTP_SECURITY: {
    description:
      'How the connection to the mail server is encrypted: `starttls`, `tls` or `none`. Default: `starttls`; `none` for a server on this machine.',
  },
  SERVICE_SMTP_FROM: { description: 'The address that mails of the platform come from.' },
  SERVICE_SMTP_USER: { description: 'User name of the platform at the mail server, where it asks for one.' },
  SERVICE_SMTP_PASSWORD: { description: 'Password of the platform at the mail server.', isSecret: true },
  SERVICE_PLATFORM_STORE: {
    description:
      "Address of the store of a team's platform, such as `postgres://user:password@host/database`; instead of `--store`, which must not hold a password.",
    isSecret: true,
  },
  SERVICE_METRICS_TOKEN: {
    description: 'Bearer token with which a monitor on another machine reads `/metrics` of the platform.',
    isSecret: true,
  },
  SERVICE_PROJECT: { description: 'Folder of the project, instead of looking for it upwards from the current one.' },
  SERVICE_AGENT_PORT: { description: 'Port of the agent; 0 takes any free one.', default: '3351' },
  SERVICE_SANDBOX_PORT: { description: 'Port of the local platform; 0 takes any free one.', default: '3310' },
  MCP_SERVER_PORT: { description: 'Port of the MCP server; 0 takes any free one.', default: '3931' },
  SERVICE_MCP_SERVER_URL: {
    description:
      'Scheme, host and port at which clients reach the MCP server of an agent, where the platform has none.',
  },
  SERVICE_AGENT_URL: { description: 'Address of a running agent, whose MCP server `vendor-cloud mcp` uses.' },
  SERVICE_MCP_TOKEN: { description: 'Token for the MCP server of `--mcp-url` or `SERVICE_AGENT_URL`.', isSecret: true },
  SERVICE_MCP_ENABLED_TOOLS: {
    description:
      'Tools of the MCP server, as names with commas between. Default: those of the specification; in `dev`, all.',
  },
  SERVICE_MCP_READ_ONLY: {
    description:
      'Whether the MCP server of an agent leaves out the tools that write, unless the code says it: true or false.',
  },
  SERVICE_DURABLE_WRITES: {
    description: 'Whether `dev` and hosts have the report of a write on the disk before its answer: true or false.',
    default: 'true',
  },
  PORT: {
    description: 'Port of an embedded agent on a server of its own, unless the code names one.',
    default: '3351',
  },
  NO_COLOR: { description: 'Any value switches colours off.' },
  FORCE_COLOR: { description: 'Switches colours on where no terminal is seen.' },
  CI: { description: 'Set by CI systems: no prompts, no spinner, no notice of newer versions.' },
  NO_UPDATE_NOTIFIER: { description: 'Any value switches the notice of newer versions off.' },
  HTTPS_PROXY: {
    description: 'Proxy for outbound HTTPS requests. Each of these four is read in lower case too, which wins.',
  },
  HTTP_PROXY: { description: 'Proxy for outbound HTTP requests.' },
  NO_PROXY: { description: 'Hosts that are reached without the proxy.' },
  ALL_PROXY: { description: 'Proxy for the requests that have none of their own, unless it is a SOCKS proxy.' },
  NODE_EXTRA_CA_CERTS: {
    description:
      'File with further certificate authorities, read by Node.js itself. Those of the system are trusted too.',
  },
} as const satisfies Record<string, VariableDefinition>;

export type VariableName = keyof typeof variables;
