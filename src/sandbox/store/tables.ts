import type { AgentTables } from '../agents/agent-tables.ts';
import type { ApiTokenTables } from '../api-tokens/api-token-tables.ts';
import type { SpentApprovalTables } from '../approvals/spent-approval-tables.ts';
import type { AuditTables } from '../audit/audit-tables.ts';
import type { CustomizationTables } from '../customizations/customization-tables.ts';
import type { DeploymentTables } from '../deployments/deployment-tables.ts';
import type { EventTables } from '../events/event-tables.ts';
import type { OverrideTables } from '../fixtures/override-tables.ts';
import type { HostTables } from '../hosts/host-tables.ts';
import type { IdentityTables } from '../identity/identity-tables.ts';
import type { InvitationTables } from '../invitations/invitation-tables.ts';
import type { IpRuleTables } from '../ip-rules/ip-rule-tables.ts';
import type { McpStateTables } from '../mcp-authorization/mcp-state-tables.ts';
import type { NoteTables } from '../notes/note-tables.ts';
import type { PasswordTables } from '../passwords/password-tables.ts';
import type { PeopleTables } from '../people/people-tables.ts';
import type { PublicApiTables } from '../public-api/public-api-tables.ts';
import type { RightsTables } from '../rights/rights-tables.ts';
import type { SchemaTables } from '../schemas/schema-tables.ts';
import type { SessionTables } from '../sessions/session-tables.ts';
import type { SetupTables } from '../setup/setup-tables.ts';
import type { SignInTables } from '../sign-in/sign-in-tables.ts';
import type { TeamTables } from '../teams/team-tables.ts';
import type { TokenTables } from '../tokens/token-tables.ts';
import type { VariableTables } from '../variables/variable-tables.ts';
import type { VersionTables } from '../versions/version-tables.ts';

/** How many migrations the store took. On SQLite its file says so. */
interface VersionOfStore {
  readonly storeVersion: { readonly version: number };
}

/** The tables of the store: each service describes its own. */
export interface Tables
  extends IdentityTables,
    TokenTables,
    SchemaTables,
    OverrideTables,
    VersionTables,
    SignInTables,
    IpRuleTables,
    CustomizationTables,
    SpentApprovalTables,
    DeploymentTables,
    HostTables,
    VariableTables,
    McpStateTables,
    NoteTables,
    PasswordTables,
    InvitationTables,
    PeopleTables,
    SessionTables,
    SetupTables,
    TeamTables,
    VersionOfStore,
    RightsTables,
    EventTables,
    AgentTables,
    AuditTables,
    ApiTokenTables,
    PublicApiTables {}
