export {
  type ActivityPage,
  type AdminPage,
  type AuditClient,
  createAuditClient,
  type LogAddress,
  type LogParameters,
} from './audit-client.ts';
export { connectAgent } from './connect-agent.ts';
export { beginDeviceSignIn } from './device-sign-in.ts';
export { type EventSubscription, followPlatformEvents } from './event-stream.ts';
export type { PlatformEventListener } from './event-stream-options.ts';
export { connectHost, type HostPlatform } from './host-client.ts';
export type { McpStateClient } from './mcp-state-client.ts';
export { createNoteClient, type NoteClient, type NoteState, type NotesAddress } from './note-client.ts';
export { createPlatformClient, type PlatformClient } from './platform-client.ts';
export type { PlatformCredentials } from './platform-client-options.ts';
export { platformHealth } from './platform-health.ts';
export type { SignInClient, SignInSecrets } from './sign-in-client.ts';
