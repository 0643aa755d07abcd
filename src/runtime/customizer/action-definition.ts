import type { Caller } from '../plan/caller.ts';
import type { RecordData } from '../query/record-query.ts';

export type ActionScope = 'Single' | 'Bulk' | 'Global';

export type ActionResult =
  | {
      readonly type: 'success';
      readonly message: string;
      readonly html?: string;
      readonly invalidated: readonly string[];
    }
  | { readonly type: 'error'; readonly message: string; readonly html?: string }
  | {
      readonly type: 'webhook';
      readonly url: string;
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: unknown;
    }
  | { readonly type: 'redirect'; readonly path: string };

/** Builds what an action answers with; `execute` returns the result of one of these. */
export interface ResultBuilder {
  success(
    message?: string,
    options?: { readonly html?: string; readonly invalidated?: readonly string[] },
  ): ActionResult;
  error(message?: string, options?: { readonly html?: string }): ActionResult;
  webhook(url: string, method?: string, headers?: Readonly<Record<string, string>>, body?: unknown): ActionResult;
  redirectTo(path: string): ActionResult;
  /** Adds a header to the response, whatever the result. */
  setHeader(name: string, value: string): ResultBuilder;
}

/** What an action knows about its call. */
export interface ActionContext {
  readonly caller: Caller;
  readonly formValues: Readonly<Record<string, unknown>>;
  /** The selected records with `fields`; empty for a Global action. */
  getRecords(fields: readonly string[]): Promise<RecordData[]>;
  /** The keys of the selected records: one value each, or the packed form (`a|b`) where the key is composite. */
  getRecordIds(): Promise<(string | number)[]>;
  /** Single actions only. */
  getRecord(fields: readonly string[]): Promise<RecordData>;
}

export interface ActionDefinition {
  readonly scope: ActionScope;
  readonly description?: string;
  readonly submitButtonLabel?: string;
  execute(
    context: ActionContext,
    resultBuilder: ResultBuilder,
  ): ActionResult | undefined | Promise<ActionResult | undefined> | Promise<void> | void;
}
