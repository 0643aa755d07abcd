import * as z from 'zod';

const rule = z.union([
  z.object({ type: z.literal(0), ip: z.string() }),
  z.object({ type: z.literal(1), ipMinimum: z.string(), ipMaximum: z.string() }),
  z.object({ type: z.literal(2), range: z.string() }),
]);

/** What the platform says, without its envelope. */
export const ipRuleListSchema = z.object({
  use_ip_whitelist: z.boolean(),
  /** One address (0), a stretch with both its ends (1), or a network in CIDR form (2). Others are passed over, with a warning. */
  rules: z.array(z.unknown()),
});

/** `GET /agent/v1/ip-whitelist-rules`: who may reach the agent's data. */
export const ipRulesSchema = z.object({ data: z.object({ attributes: ipRuleListSchema }) });

/** One rule of the list; an agent reads each by itself, so that a strange one does not take the others with it. */
export const ipRuleSchema = rule;

export type IpRules = z.infer<typeof ipRuleListSchema>;
export type IpRule = z.infer<typeof rule>;
