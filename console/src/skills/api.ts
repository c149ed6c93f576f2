// Skills, their versions, and what is proposed.
import { get, write } from "../api/http";
import { all, page, type Page } from "../api/pages";

export interface Finding {
  file: string;
  line: number;
  severity: "error" | "warning";
  message: string;
}

export interface Skill {
  name: string;
  level: string;
  state: "available" | "unavailable" | "broken" | "hidden";
  description: string;
  always: boolean;
  requires_birth_info: boolean;
  compute_type: string | null;
  missing: string[];
  findings: Finding[];
}

export interface SkillDetail extends Skill {
  license: string | null;
  compatibility: string | null;
  profile_fields: string[];
  voices: string[];
  body: string;
  resources: { path: string; size: number }[];
}

export interface Proposal {
  id: string;
  name: string;
  scope: string;
  status: "draft" | "review" | "accepted" | "rejected" | "active";
  note: string;
  files: number;
  size: number;
  created_at: string;
  submitted_at: string | null;
  decided_by: string | null;
  decided_at: string | null;
  reason: string | null;
  version: number | null;
}

export interface FileChange {
  path: string;
  change: "added" | "changed" | "removed";
  before: number | null;
  after: number | null;
  diff: string | null;
}

export interface ProposalDetail extends Proposal {
  findings: Finding[];
  against: string | null;
  changes: FileChange[];
  shown: string | null;
}

export interface Version {
  number: number;
  origin: string;
  made_by: string;
  reason: string;
  created_at: string;
  activated_at: string | null;
}

export const skills = (signal?: AbortSignal) => all<Skill>("/api/skills", signal);

export const skill = (name: string, signal?: AbortSignal) => get<SkillDetail>(`/api/skills/${name}`, signal);

export const proposals = (signal?: AbortSignal): Promise<Page<Proposal>> =>
  page<Proposal>("/api/skills/proposals", { limit: "100" }, signal);

export const proposal = (id: string, signal?: AbortSignal) =>
  get<ProposalDetail>(`/api/skills/proposals/${id}`, signal);

export const history = (name: string, signal?: AbortSignal) =>
  page<Version>(`/api/skills/${name}/history`, { limit: "20" }, signal);

export const propose = (text: string, note: string) =>
  write<Proposal>("POST", "/api/skills/proposals", { files: { "SKILL.md": text }, note });

export const accept = (id: string, shown: string, reason: string) =>
  write<unknown>("POST", `/api/skills/proposals/${id}/accept`, { shown, reason });

export const reject = (id: string, reason: string) =>
  write<Proposal>("POST", `/api/skills/proposals/${id}/reject`, { reason });

export const submit = (id: string) => write<Proposal>("POST", `/api/skills/proposals/${id}/submit`);

export const withdraw = (id: string) => write<void>("DELETE", `/api/skills/proposals/${id}`);
