import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button, Notice } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { schemaQuery } from '../model/schema.ts';
import type { AgentAddress } from '../wire/agent.ts';
import {
  callWebhook,
  curlOf,
  linesOf,
  mayCall,
  requestOf,
  type Webhook,
  type WebhookOutcome,
  type WebhookRequest,
} from './webhook-call.ts';

interface WebhookViewProps {
  readonly agent: AgentAddress;
  readonly webhook: Webhook;
}

/** The call that an action asks for: the page makes it after a yes where the agent lists its origin, and shows it as a command where not. */
export function WebhookView({ agent, webhook }: WebhookViewProps) {
  const messages = useMessages();
  const schema = useQuery(schemaQuery(agent));
  const request = requestOf(webhook);
  if (schema.isPending) return <p>{messages.loading}</p>;
  return mayCall(request.url, schema.data?.webhookOrigins ?? [], location.hostname) ? (
    <AskedCall request={request} />
  ) : (
    <ShownCall title={messages.webhookAsk} why={messages.webhookWhy} request={request} />
  );
}

type Step = 'asked' | 'calling' | WebhookOutcome;

function AskedCall({ request }: { readonly request: WebhookRequest }) {
  const messages = useMessages();
  const [step, setStep] = useState<Step>('asked');
  const isRefused = useRefusedByPolicy(request.url);
  if (isRefused)
    return <ShownCall title={messages.webhookRefused} why={messages.webhookRefusedNext} request={request} />;
  if (step === 'asked') {
    const call = async () => {
      setStep('calling');
      setStep(await callWebhook(request));
    };
    return (
      <Notice kind="warning" title={messages.webhookCallAsk(request.url)}>
        <pre>{linesOf(request)}</pre>
        <div>
          <Button look="primary" onClick={() => void call()}>
            {messages.webhookCall}
          </Button>
        </div>
      </Notice>
    );
  }
  if (step === 'calling') return <p role="status">{messages.webhookCalling(request.url)}</p>;
  switch (step.kind) {
    case 'answered':
      return (
        <Notice kind={step.isGood ? 'success' : 'danger'} title={messages.webhookAnswered(String(step.status))}>
          <p>{request.url}</p>
        </Notice>
      );
    case 'redirected':
      return <ShownCall title={messages.webhookRedirected} why={messages.webhookUnsure} request={request} />;
    case 'unanswered':
      return <ShownCall title={messages.webhookUnanswered} why={messages.webhookUnsure} request={request} />;
    case 'impossible':
      return <ShownCall title={messages.webhookImpossible} why={step.reason} request={request} />;
  }
}

/** Whether the policy of the page has refused a call. It was made when the page was loaded, and may not name the origin yet. */
function useRefusedByPolicy(url: string): boolean {
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    const look = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
      if (effectiveDirective === 'connect-src' && URL.parse(blockedURI)?.origin === URL.parse(url)?.origin)
        setRefused(true);
    };
    document.addEventListener('securitypolicyviolation', look);
    return () => document.removeEventListener('securitypolicyviolation', look);
  }, [url]);
  return isRefused;
}

interface ShownCallProps {
  readonly title: string;
  readonly why: string;
  readonly request: WebhookRequest;
}

/** A call that the page does not make, as a command. */
function ShownCall({ title, why, request }: ShownCallProps) {
  const messages = useMessages();
  const command = curlOf(request);
  return (
    <Notice kind="warning" title={title}>
      <p>{why}</p>
      <pre>{command}</pre>
      <div>
        <Button onClick={() => void navigator.clipboard.writeText(command)}>{messages.copy}</Button>
      </div>
    </Notice>
  );
}
