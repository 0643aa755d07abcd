import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { FiledApproval } from '#contracts/approvals';
import { Button, Buttons, Failure, look, Notice } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useOnce } from '../design/use-stable.ts';
import { useMessages } from '../messages/index.ts';
import { type AgentAddress, askAgent } from '../wire/agent.ts';

interface Asked {
  readonly agent: AgentAddress;
  readonly action: string;
  /** The attributes of the run. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly onClose: () => void;
}

/** A request for an approval that somebody is about to make. */
export interface Asking {
  /** Why the action should run. */
  readonly comment: string;
  setComment(comment: string): void;
  ask(): void;
  readonly isAsking: boolean;
  readonly error: Error | null;
}

export function useAsking({ agent, action, attributes, onClose }: Asked): Asking {
  const messages = useMessages();
  const client = useQueryClient();
  const [comment, setComment] = useState('');
  const asking = useMutation({
    mutationFn: () => {
      const said = comment.trim() === '' ? {} : { comment };
      const body = { data: { attributes: { ...attributes, action_name: action, ...said } } };
      return askAgent<FiledApproval>(agent, ['_internal', 'approvals'], {}, { method: 'POST', body });
    },
    onSuccess: async ({ id: asked }) => {
      await client.invalidateQueries({ queryKey: ['approvals', agent.environment] });
      toast(messages.approvalAsked(String(asked)));
      onClose();
    },
  });
  const ask = useOnce(() => asking.mutateAsync());
  return { comment, setComment, ask, isAsking: asking.isPending, error: asking.error };
}

/** The place for the reason of a request. */
export function ApprovalReason({ asking, hasFocus = false }: { readonly asking: Asking; readonly hasFocus?: boolean }) {
  const messages = useMessages();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (hasFocus) field.current?.focus();
  }, [hasFocus]);
  return (
    <label className={look.form}>
      {messages.approvalComment}
      <textarea
        className={`${look.input} ${look.wide}`}
        rows={3}
        maxLength={2000}
        ref={field}
        value={asking.comment}
        onChange={({ target }) => asking.setComment(target.value)}
      />
    </label>
  );
}

interface AskForApprovalProps {
  readonly asking: Asking;
  /** Names of the roles that may grant it, as far as they are known. */
  readonly approvers: readonly string[];
  readonly onBack: () => void;
  readonly onClose: () => void;
}

/** A run was refused because it needs the yes of somebody else: ask for it, and say why. */
export function AskForApproval({ asking, approvers, onBack, onClose }: AskForApprovalProps): ReactNode {
  const messages = useMessages();
  return (
    <form
      className={look.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!asking.isAsking) asking.ask();
      }}
    >
      <Notice kind="warning" title={messages.needsApproval}>
        <p>{messages.approvalWhy}</p>
        {approvers.length > 0 && <p>{messages.approvalRoles(approvers.join(', '))}</p>}
      </Notice>
      {asking.error && <Failure error={asking.error} />}
      <ApprovalReason asking={asking} hasFocus />
      <Buttons>
        <Button onClick={onClose}>{messages.cancel}</Button>
        <Button onClick={onBack}>{messages.back}</Button>
        <Button look="primary" type="submit" disabled={asking.isAsking}>
          {messages.askForApproval}
        </Button>
      </Buttons>
    </form>
  );
}
