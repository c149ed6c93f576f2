// Weft's mark: two threads over and under two others.
export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <g fill="none" strokeWidth="3.6" strokeLinecap="round">
        <path stroke="var(--operator)" d="M11 5v22M21 5v22" />
        <path stroke="var(--paper)" strokeWidth="7" strokeLinecap="butt" d="M7 11h8M17 21h8" />
        <path stroke="var(--accent)" d="M5 11h12M25.500 11H27M5 21h1.500M15 21h12" />
        <path stroke="var(--accent)" d="M5 11h22M5 21h22" opacity="0" />
        <path stroke="var(--accent)" d="M17 11h0.500M24.500 11H27M5 21h2.500" />
      </g>
    </svg>
  );
}
