// SPDX-License-Identifier: Apache-2.0
// A small world for attacks: things worth attacking, made by whoever the judge is, and attackers in and out
// of the lock.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <string>

#include "base/files.hpp"
#include "sandbox/landlock.hpp"
#include "sandbox/process.hpp"

namespace kgb::sandbox {

enum class Judge { root, user };  // who runs kgbench
inline constexpr uid_t kUser = 54321, kAuthor = 65001;

// The judge's belongings. The pages are named so that an attacker who copied our memory knows where to look.
struct Scene {
  TempDir dir = TempDir::make("kgb-scene", "/tmp").value();
  std::string workspace = dir.path() / "workspace";
  std::string outside = dir.path() / "outside";            // anyone may write here, as in /tmp
  std::string secret = dir.path() / "outside" / "secret";  // mode 600
  std::string script = dir.path() / "outside" / "script";  // mode 755, the judge's
  std::string readable = dir.path() / "readable";          // the lock opens it, but for readable/answers
  std::string answer = dir.path() / "readable" / "answers" / "expert.py";
  std::string open_file = dir.path() / "readable" / "package" / "module.py";
  std::string socket_path = dir.path() / "outside" / "socket";
  std::string abstract_name;
  int port = 0;  // TCP and UDP, on the loopback
  pid_t judge = ::getpid();
  int secret_fd = -1;  // an open descriptor of the judge
  Fd tcp, udp, by_path, by_name;

  Scene() {
    static_cast<void>(make_folders(workspace)), static_cast<void>(make_folders(outside));
    ::chmod(dir.path().c_str(), 0755), ::chmod(outside.c_str(), 0777);
    static_cast<void>(write_file(secret, "secret", 0600));
    static_cast<void>(write_file(script, "#!/bin/sh\nexit 0\n", 0755));
    static_cast<void>(make_folders(readable + "/answers")),
        static_cast<void>(make_folders(readable + "/package"));
    static_cast<void>(write_file(answer, "expert", 0644)), static_cast<void>(write_file(open_file, "", 0644));
    secret_fd = ::open(secret.c_str(), O_RDWR | O_CLOEXEC);
    if (::geteuid() == 0) static_cast<void>(::chown(workspace.c_str(), kAuthor, kAuthor) + 0);
    listen_inet();
    by_path = listen_unix(socket_path);
    abstract_name = std::string(1, '\0') + "kgb-scene-" + std::to_string(::getpid());
    by_name = listen_unix(abstract_name);
  }

  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  static std::pair<sockaddr_un, socklen_t> unix_address(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    return {address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())};
  }

 private:
  void listen_inet() {
    tcp = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    udp = Fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    ::bind(tcp.get(), reinterpret_cast<sockaddr*>(&address), size);
    ::listen(tcp.get(), 8);
    ::getsockname(tcp.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
    ::bind(udp.get(), reinterpret_cast<sockaddr*>(&address), size);
  }
  static Fd listen_unix(const std::string& name) {
    Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto [address, size] = unix_address(name);
    ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size);
    ::listen(fd.get(), 8);
    return fd;
  }
};

// 0: the attack did what it wanted. Anything else, an errno as a rule: it was refused.
using Attack = std::function<int(const Scene&)>;

inline LockSpec lock_for(const Scene& scene) {
  LockSpec lock;
  lock.uid = kAuthor;
  lock.workspace = scene.workspace;
  lock.read = {"/usr", "/lib", "/lib64", "/etc/ld.so.cache", scene.readable};
  lock.hidden = {scene.readable + "/answers"};
  lock.memory_bytes = std::uint64_t{256} << 20;
  lock.processes = 32;
  return lock;
}

struct Trial {
  bool made = false;  // false: the judge could not even start the attackers
  int without = -1;   // exit code of the attack as an ordinary child
  Finished locked;    // how it ended under the lock
  bool held = false;  // `check` of try_attack was content afterwards
};

// Becomes the judge in a process of its own, makes the scene, and runs the attack without and with the lock.
// `check` looks at the scene after the locked attack.
inline Trial try_attack(Judge judge, const Attack& attack, const std::function<void(LockSpec&)>& adjust = {},
                        const Limits& limits = {}, const std::function<bool(const Scene&)>& check = {}) {
  Trial trial;
  Pipe pipe = make_pipe().value();
  const pid_t helper = ::fork();
  if (helper == 0) {
    if (judge == Judge::user && ::geteuid() == 0) {
      if (::setresgid(kUser, kUser, kUser) != 0 || ::setresuid(kUser, kUser, kUser) != 0) ::_exit(1);
      ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // as a process is that has always been this user's
    }
    {
      const Scene scene;
      const pid_t plain = ::fork();
      if (plain == 0) ::_exit(attack(scene));
      int status = 0;
      ::waitpid(plain, &status, 0);
      trial.without = WIFEXITED(status) ? WEXITSTATUS(status) : 200;
      LockSpec lock = lock_for(scene);
      if (adjust) adjust(lock);
      auto started = start_forked(lock, [&] { return attack(scene); }, scene.workspace, limits);
      if (started.ok()) {
        Channel* const channels[] = {&started->out, &started->err};
        if (const auto finished = started->child.wait(limits, channels); finished.ok()) {
          trial.locked = *finished;
          trial.made = true;
        }
      } else {
        std::fprintf(stderr, "%s\n", started.error().message.c_str());
      }
      trial.held = !check || check(scene);
    }
    static_assert(std::is_trivially_copyable_v<Trial>);
    [[maybe_unused]] const ssize_t sent = ::write(pipe.write.get(), &trial, sizeof trial);
    ::_exit(0);
  }
  pipe.write.reset();
  const auto bytes = read_exactly(pipe.read.get(), sizeof trial, Deadline(Millis(120'000)), "the judge");
  ::waitpid(helper, nullptr, 0);
  if (bytes.ok()) std::memcpy(&trial, bytes.value().data(), sizeof trial);
  return trial;
}

// Why this host cannot test a judge of that kind; empty: it can.
inline std::string cannot_test(Judge judge) {
  if (judge == Judge::root && ::geteuid() != 0) return "needs root";
  if (landlock_abi() == 0) return "needs Landlock";
  const Namespaces usable = usable_namespaces();
  if ((usable & kPidNs) == 0 || (usable & kNetNs) == 0) return "needs pid and net namespaces";
  return "";
}

}  // namespace kgb::sandbox
