/** What the agent knows of its platform. Who makes clients of it imports their files: a module that names all would be loaded with all. */
export type { ApprovalRequestClient } from './approval-client.ts';
export type { EventSubscription } from './event-stream.ts';
export type { PlatformEventListener } from './event-stream-options.ts';
export type { McpMarkClient } from './mcp-mark-client.ts';
export type { McpStateClient } from './mcp-state-client.ts';
export type { RecordNoteClient } from './record-note-client.ts';
export type { SignInClient, SignInSecrets } from './sign-in-client.ts';
