export { createPlatformClient, type PlatformClient } from './platform-client.ts';
export type { PlatformClientOptions, PlatformCredentials } from './platform-client-options.ts';
