import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { ApprovalPlatform } from '../../../permissions/signed-approvals.ts';
import {
  createSessionMarks,
  type IsHeardMarked,
  type McpMarkPlatform,
  type SessionMarks,
} from '../marks/session-marks.ts';
import { type CallLimits, createCallLimits, defaultMcpLimits, type McpLimits } from './call-limits.ts';
import { type Confirmations, createConfirmations } from './confirmations.ts';
import { createFirstUses } from './first-use.ts';
import { createIdempotentAnswers, type IdempotentAnswers } from './idempotent-answers.ts';

/** How careful an MCP server is. */
export interface SafetyOptions {
  /** Refuses every tool that writes, whatever the token allows. Default false. */
  readonly isReadOnly?: boolean | undefined;
  readonly limits?: Partial<McpLimits> | undefined;
}

/** The parts that stand between a call and what it does. */
export interface Safeguards {
  readonly isReadOnly: boolean;
  readonly limits: CallLimits;
  readonly confirmations: Confirmations;
  readonly answers: IdempotentAnswers<CallToolResult>;
  readonly marks: SessionMarks;
}

export interface SafeguardPorts {
  readonly authSecret: string;
  readonly platform: ApprovalPlatform & McpMarkPlatform;
  /** Default: this process learns about none. */
  readonly isHeardMarked?: IsHeardMarked | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

export function createSafeguards(
  { authSecret, platform, clock, random, isHeardMarked = () => false }: SafeguardPorts,
  { isReadOnly = false, limits: given }: SafetyOptions = {},
): Safeguards {
  const uses = createFirstUses(platform, random);
  const limits = { ...defaultMcpLimits, ...given };
  const bounds = { perCall: limits.markedRecordsPerCall, sinceMark: limits.markedRecords };
  return {
    isReadOnly,
    limits: createCallLimits(limits, clock),
    confirmations: createConfirmations(authSecret, uses, clock, random),
    answers: createIdempotentAnswers(uses, clock),
    marks: createSessionMarks({ platform, isHeardMarked, bounds, random }),
  };
}
