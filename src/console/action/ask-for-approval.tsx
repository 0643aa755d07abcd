import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { FiledApproval } from '#contracts/approvals';
import { Button, Buttons, Failure, look, Notice } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useOnce } from '../design/use-stable.ts';
import { useMessages } from '../messages/index.ts';
import { type AgentAddress, askAgent } from '../wire/agent.ts';

interface AskForApprovalProps {
  readonly agent: AgentAddress;
  readonly action: string;
  /** The attributes of the run that was refused. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Names of the roles that may grant it, as far as they are known. */
  readonly approvers: readonly string[];
  readonly onBack: () => void;
  readonly onClose: () => void;
}

/** The action needs the yes of somebody else: ask for it, and say why. */
export function AskForApproval({ agent, action, attributes, approvers, onBack, onClose }: AskForApprovalProps) {
  const messages = useMessages();
  const client = useQueryClient();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
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
  const askOnce = useOnce(() => asking.mutateAsync());
  return (
    <form
      className={look.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!asking.isPending) askOnce();
      }}
    >
      <Notice kind="warning" title={messages.needsApproval}>
        <p>{messages.approvalWhy}</p>
        {approvers.length > 0 && <p>{messages.approvalRoles(approvers.join(', '))}</p>}
      </Notice>
      {asking.error && <Failure error={asking.error} />}
      <label>
        {messages.approvalComment}
        <textarea
          className={`${look.input} ${look.wide}`}
          rows={3}
          maxLength={2000}
          ref={field}
          value={comment}
          onChange={({ target }) => setComment(target.value)}
        />
      </label>
      <Buttons>
        <Button onClick={onClose}>{messages.cancel}</Button>
        <Button onClick={onBack}>{messages.back}</Button>
        <Button look="primary" type="submit" disabled={asking.isPending}>
          {messages.askForApproval}
        </Button>
      </Buttons>
    </form>
  );
}
