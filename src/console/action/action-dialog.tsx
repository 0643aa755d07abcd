import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button, Buttons, Dialog, Failure, look, Notice } from '../design/controls.tsx';
import { CopyButtons } from '../design/copy-buttons.tsx';
import { toast } from '../design/toasts.tsx';
import { useOnce } from '../design/use-stable.ts';
import { isSelected, type Selection, selectionAttributes } from '../grid/selection.ts';
import { type Messages, useMessages } from '../messages/index.ts';
import { copiesOf } from '../model/copied-requests.ts';
import type { VisibleAction, VisibleCollection } from '../model/schema.ts';
import type { ScreenRequest } from '../model/screen-requests.ts';
import { type AgentAddress, askAgentForBytes } from '../wire/agent.ts';
import { RequestFailed } from '../wire/http.ts';
import { own } from '../wire/own.ts';
import { listRecords, projection } from '../wire/records.ts';
import { type ActionForm, actionPath, type FormNode, useActionForm } from './action-form.ts';
import { type ActionResult, ResultView, readResult } from './action-result.tsx';
import type { ActionTarget } from './action-target.ts';
import { ApprovalReason, AskForApproval, useAsking } from './ask-for-approval.tsx';
import { FormNodes } from './form-nodes.tsx';

/** Records that a call of MCP names at most, where nobody has set another limit. */
const mostInCall = 1_000;

interface ActionDialogProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  readonly action: VisibleAction;
  readonly target: ActionTarget;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** The form of an action, page by page, and what it answered. */
export function ActionDialog({ agent, collection, action, target, onDone, onClose }: ActionDialogProps) {
  const messages = useMessages();
  const client = useQueryClient();
  const form = useActionForm({ agent, collection, action, target });
  const [result, setResult] = useState<ActionResult>();
  const numbers = new Intl.NumberFormat(messages.code);
  const request = requestOf({ agent, collection, action, target }, form, messages);
  const run = useMutation({
    mutationFn: async () =>
      readResult(await askAgentForBytes(agent, request.path, {}, { method: 'POST', body: request.body })),
    onSuccess: async (answer) => {
      await client.invalidateQueries({ queryKey: ['rows', agent.environment] });
      onDone();
      if (answer.kind === 'success' && answer.html === undefined) {
        toast(answer.message || messages.actionDone(action.name));
        onClose();
      } else setResult(answer);
    },
  });
  const [refused, setRefused] = useState<ActionForm['values']>({});
  const runOnce = useOnce(() => run.mutateAsync());
  const asking = useAsking({ agent, action: action.name, attributes: request.attributes, onClose });
  // A run that is refused for certain is not tried: the log would have it as one that failed.
  const asksAtOnce = action.alwaysNeedsApproval === true;
  const submit = () => {
    setRefused(form.values);
    if (asksAtOnce) asking.ask();
    else runOnce();
  };
  const isRefused = run.error instanceof RequestFailed && run.error.code === 'ACTION_APPROVAL_REQUIRED';
  const isOnNothing = action.type !== 'global' && target.size === 0;
  const size = target.size === undefined ? undefined : messages.actionOn(numbers.format(target.size));
  return (
    <Dialog
      title={action.name}
      {...(run.isPending
        ? { isUnsaved: true, question: messages.leaveRunning }
        : { isUnsaved: result ? false : form.isChanged || undefined })}
      onClose={onClose}
    >
      {action.type !== 'global' && size && <p className={look.small}>{size}</p>}
      {isOnNothing && <Notice kind="warning" title={messages.actionOnNothing} />}
      {action.needsApproval && !isRefused && <p>{asksAtOnce ? messages.needsApproval : messages.mayNeedApproval}</p>}
      {result ? (
        <ResultView agent={agent} result={result} onClose={onClose} />
      ) : isRefused ? (
        <AskForApproval asking={asking} approvers={rolesIn(run.error)} onBack={run.reset} onClose={onClose} />
      ) : (
        <FormView
          agent={agent}
          form={form}
          request={request}
          submitLabel={submitLabelOf(action, messages)}
          isRunning={asksAtOnce ? asking.isAsking : run.isPending}
          isOnNothing={isOnNothing}
          error={asksAtOnce ? asking.error : run.error}
          refused={refused}
          reason={asksAtOnce && <ApprovalReason asking={asking} />}
          onSubmit={submit}
          onClose={() => (!run.isPending || confirm(messages.leaveRunning)) && onClose()}
        />
      )}
    </Dialog>
  );
}

/** Where a run needs an approval, the button does not promise that it runs. */
function submitLabelOf(action: VisibleAction, messages: Messages): string {
  if (action.alwaysNeedsApproval) return messages.askForApproval;
  return action.needsApproval ? messages.runOrAsk : (action.submitButtonLabel ?? messages.run);
}

type ActionRun = Pick<ActionDialogProps, 'agent' | 'collection' | 'action' | 'target'>;

/** A call of MCP names its records. Those of all that match are asked for when somebody copies it. */
function requestOf(
  run: ActionRun,
  { values }: ActionForm,
  messages: Messages,
): ScreenRequest & { readonly attributes: Readonly<Record<string, unknown>> } {
  const { agent, collection, action, target } = run;
  const { selection, query, size } = target;
  const attributes = {
    collection_name: collection.name,
    smart_action_id: action.id,
    ...selectionAttributes(selection, query),
    values,
  };
  const toolFor = (recordIds: readonly string[] | undefined) => ({
    name: 'executeAction',
    arguments: { collectionName: collection.name, actionName: action.name, recordIds, values },
  });
  const isTooMuch = size === undefined || size > mostInCall;
  return {
    attributes,
    label: action.name,
    agent,
    method: 'POST',
    path: actionPath(action, collection),
    body: { data: { type: 'custom-action-requests', attributes } },
    ...(action.type === 'global'
      ? { tool: toolFor(undefined) }
      : isTooMuch
        ? { whyNoTool: messages.mcpNamesRecords(new Intl.NumberFormat(messages.code).format(mostInCall)) }
        : selection.kind === 'these'
          ? { tool: toolFor([...selection.ids]) }
          : { tool: async () => toolFor(await matchingIds(agent, collection, selection, query)) }),
  };
}

interface FormViewProps {
  readonly request: ScreenRequest;
  readonly agent: AgentAddress;
  readonly form: ActionForm;
  readonly submitLabel: string;
  readonly isRunning: boolean;
  readonly isOnNothing: boolean;
  readonly error: Error | null;
  /** The values that the error is about. */
  readonly refused: ActionForm['values'];
  /** The place for why an approval should be granted, below the last page. */
  readonly reason: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

function FormView(props: FormViewProps) {
  const { request, agent, form, submitLabel, isRunning, isOnNothing, error, refused, reason, onSubmit, onClose } =
    props;
  const messages = useMessages();
  const [pageIndex, setPageIndex] = useState(0);
  const pages = form.nodes.filter((node) => node.component === 'page');
  const page = pages[Math.min(pageIndex, pages.length - 1)];
  const nodes: readonly FormNode[] = page ? page.elements : form.nodes;
  const isLast = pageIndex >= pages.length - 1;
  const problems = problemsOf(error);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isLast) {
          if (!isRunning) onSubmit();
        } else setPageIndex(pageIndex + 1);
      }}
    >
      {pages.length > 1 && <p className={look.small}>{messages.page(pageIndex + 1, pages.length)}</p>}
      {form.error && <Failure error={form.error} />}
      {error && (pages.length > 1 || Object.keys(problems).length === 0) && <Failure error={error} />}
      {form.isLoading ? (
        <p className={look.small}>{messages.loading}</p>
      ) : (
        <FormNodes agent={agent} form={form} nodes={nodes} problems={stillOpen(problems, refused, form.values)} />
      )}
      {isLast && reason}
      <Buttons>
        <CopyButtons {...copiesOf(request)} />
        <Button onClick={onClose}>{messages.cancel}</Button>
        {pageIndex > 0 && (
          <Button onClick={() => setPageIndex(pageIndex - 1)}>{page?.previousButtonLabel ?? messages.back}</Button>
        )}
        <Button look="primary" type="submit" disabled={isRunning || isOnNothing || form.isUnknown}>
          {isLast ? (isRunning ? messages.running : submitLabel) : (page?.nextButtonLabel ?? messages.next)}
        </Button>
      </Buttons>
    </form>
  );
}

/** Those of fields whose values are the refused ones: one that was changed since may be right. */
function stillOpen(
  problems: Readonly<Record<string, string>>,
  refused: ActionForm['values'],
  now: ActionForm['values'],
) {
  return Object.fromEntries(Object.entries(problems).filter(([name]) => own(refused, name) === own(now, name)));
}

/** The ids of all that match but the excluded ones. */
async function matchingIds(
  agent: AgentAddress,
  { name, primaryKey }: VisibleCollection,
  selection: Selection,
  query: ActionTarget['query'],
): Promise<readonly string[]> {
  const parameters = { ...query, 'page[size]': String(mostInCall) };
  const { rows } = await listRecords(agent, [name], parameters, { headers: projection(primaryKey) });
  return rows.map(({ id }) => id).filter((id) => isSelected(selection, id));
}

/** The roles whose people may grant the run that was refused, where the agent knows their names. */
function rolesIn(error: Error | null): readonly string[] {
  const roles = error instanceof RequestFailed ? error.data['rolesAllowedToApprove'] : undefined;
  return Array.isArray(roles) ? roles.map(String) : [];
}

/** What the agent has against values, by field. */
function problemsOf(error: Error | null): Readonly<Record<string, string>> {
  if (!(error instanceof RequestFailed)) return {};
  const ofFields = error.problems.flatMap(({ field, message }) =>
    field === undefined ? [] : [[field, message] as const],
  );
  return Object.fromEntries(ofFields);
}
