import type { AgentTokenClaims } from '#contracts/agent-token';
import type { SignInLink } from '#contracts/sign-in';
import type { ServedPerson } from './served-person.ts';

/** The platform of a session: a local one that the session starts, or another that it uses. */
export interface UsedPlatform {
  readonly url: string;
  readonly envSecret: string;
  /** Token of the developer for the commands that talk to the platform. */
  readonly userToken: string;
  /** The person that tokens of the agent speak for: the developer, unless another person is served. */
  readonly identity: AgentTokenClaims;
  /** The person that the session serves under rights; `undefined` for the developer. */
  readonly servedAs: ServedPerson | undefined;
  /** The session has started it, for itself: it may write to it, and the developer may do everything. */
  readonly isLocal: boolean;
  /** A one-time link that signs a browser in as the person of `identity`. Absent where people sign in with their own accounts. */
  readonly makeSignInLink?: () => SignInLink;
  /** Have the console of the platform call this agent, at an address with its prefix. Absent where it finds agents by itself. */
  readonly serveAgent?: (url: string) => void;
  /** Have the pages of the console call these origins for the webhooks of the agent. Absent where the agent sends them with its schema. */
  readonly allowWebhooks?: (origins: readonly string[]) => void;
  stop(): Promise<void>;
}
