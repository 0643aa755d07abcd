import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Buttons, Dialog, Failure, look } from '../design/controls.tsx';
import { CopyButtons } from '../design/copy-buttons.tsx';
import { toast } from '../design/toasts.tsx';
import { useOnce } from '../design/use-stable.ts';
import { selectionAttributes } from '../grid/selection.ts';
import { useMessages } from '../messages/index.ts';
import type { VisibleAction, VisibleCollection } from '../model/schema.ts';
import { asCurl, asMcpCall, type ScreenRequest } from '../model/screen-requests.ts';
import { type AgentAddress, askAgentForBytes } from '../wire/agent.ts';
import { RequestFailed } from '../wire/http.ts';
import { type ActionForm, actionPath, type FormNode, useActionForm } from './action-form.ts';
import { type ActionResult, ResultView, readResult } from './action-result.tsx';
import type { ActionTarget } from './action-target.ts';
import { FormNodes } from './form-nodes.tsx';

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
  const request = requestOf({ agent, collection, action, target }, form);
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
  const runOnce = useOnce(() => run.mutateAsync());
  const size = target.size === undefined ? undefined : messages.actionOn(numbers.format(target.size));
  return (
    <Dialog title={action.name} onClose={onClose}>
      {action.type !== 'global' && size && <p className={look.small}>{size}</p>}
      {action.needsApproval && <p>{messages.needsApproval}</p>}
      {result ? (
        <ResultView agent={agent} result={result} onClose={onClose} />
      ) : (
        <FormView
          agent={agent}
          form={form}
          request={request}
          submitLabel={action.submitButtonLabel ?? messages.run}
          isRunning={run.isPending}
          error={run.error}
          onSubmit={runOnce}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

/** A call of MCP names its records, so there is none for all that match. */
function requestOf(
  { agent, collection, action, target }: Pick<ActionDialogProps, 'agent' | 'collection' | 'action' | 'target'>,
  { values }: ActionForm,
): ScreenRequest {
  const { selection, query } = target;
  const attributes = {
    collection_name: collection.name,
    smart_action_id: action.id,
    ...selectionAttributes(selection, query),
    values,
  };
  const recordIds = selection.kind === 'these' && action.type !== 'global' ? [...selection.ids] : undefined;
  const given = { collectionName: collection.name, actionName: action.name, recordIds, values };
  return {
    label: action.name,
    agent,
    method: 'POST',
    path: actionPath(action, collection),
    body: { data: { type: 'custom-action-requests', attributes } },
    ...(selection.kind === 'these' ? { tool: { name: 'executeAction', arguments: given } } : {}),
  };
}

interface FormViewProps {
  readonly request: ScreenRequest;
  readonly agent: AgentAddress;
  readonly form: ActionForm;
  readonly submitLabel: string;
  readonly isRunning: boolean;
  readonly error: Error | null;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

function FormView({ request, agent, form, submitLabel, isRunning, error, onSubmit, onClose }: FormViewProps) {
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
      {error && Object.keys(problems).length === 0 && <Failure error={error} />}
      {form.isLoading ? (
        <p className={look.small}>{messages.loading}</p>
      ) : (
        <FormNodes agent={agent} form={form} nodes={nodes} problems={problems} />
      )}
      <Buttons>
        <CopyButtons curl={asCurl(request)} mcp={asMcpCall(request)} />
        <Button onClick={onClose}>{messages.cancel}</Button>
        {pageIndex > 0 && (
          <Button onClick={() => setPageIndex(pageIndex - 1)}>{page?.previousButtonLabel ?? messages.back}</Button>
        )}
        <Button look="primary" type="submit" disabled={isRunning || form.isLoading || form.fields === undefined}>
          {isLast ? (isRunning ? messages.running : submitLabel) : (page?.nextButtonLabel ?? messages.next)}
        </Button>
      </Buttons>
    </form>
  );
}

/** What the agent has against values, by field. */
function problemsOf(error: Error | null): Readonly<Record<string, string>> {
  if (!(error instanceof RequestFailed)) return {};
  const ofFields = error.problems.flatMap(({ field, message }) =>
    field === undefined ? [] : [[field, message] as const],
  );
  return Object.fromEntries(ofFields);
}
