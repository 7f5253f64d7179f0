// What the client's process handling uses of the native package, which has 100 MB: a process
// that is ended by a signal. Everything else of it throws.
export class Process {
	constructor(pid) {
		this.pid = pid;
	}
	static fromPid(pid) {
		return new Process(pid);
	}
	async terminate() {
		process.kill(this.pid, "SIGTERM");
		return true;
	}
}
export const ProcessStatus = { Running: "running" };
export class FileLock {
	static tryAcquire() {
		throw new Error("not here");
	}
}
export const renderMermaidAscii = FileLock.tryAcquire;
