import type { Environment } from '#contracts/identity';
import type { EventSubscription, PlatformEventListener } from '#platform-client/index';
import type { ActivityPlatform } from '../../activity/activity-sender.ts';
import type { PermissionSource } from '../../permissions/permission-documents.ts';
import type { ApprovalPlatform } from '../../permissions/signed-approvals.ts';
import type { McpMarkPlatform } from '../../surfaces/mcp/marks/session-marks.ts';
import type { McpAuthorizationPlatform } from '../../surfaces/mcp/oauth/oauth-options.ts';
import type { ApprovalRequestPlatform } from '../../surfaces/request/approval-requests.ts';
import type { IpRuleSource } from '../../surfaces/request/ip-filter.ts';
import type { HistoryPlatform } from '../../surfaces/request/record-histories.ts';
import type { NotePlatform } from '../../surfaces/request/record-notes.ts';
import type { EndedSessionSource } from '../../surfaces/sign-in/session-tokens.ts';
import type { SignInPlatform } from '../../surfaces/sign-in/sign-in.ts';
import type { NoCodePlatform } from './no-code-source.ts';
import type { SchemaStore } from './schema-publisher.ts';

/** The parts of the platform that an agent needs. */
export interface AgentPlatform
  extends PermissionSource,
    SchemaStore,
    SignInPlatform,
    McpAuthorizationPlatform,
    McpMarkPlatform,
    IpRuleSource,
    EndedSessionSource,
    ActivityPlatform,
    ApprovalPlatform,
    ApprovalRequestPlatform,
    HistoryPlatform,
    NotePlatform,
    NoCodePlatform {
  /** The environment that the agent belongs to. */
  environment(): Promise<Environment>;
  /** Listen to what changes, until the subscription is closed. */
  followEvents(listener: PlatformEventListener): EventSubscription;
  /** Close the connections that are kept alive; the next call opens new ones. */
  close(): Promise<void>;
}
