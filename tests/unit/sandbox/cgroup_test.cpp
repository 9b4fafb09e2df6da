// SPDX-License-Identifier: Apache-2.0
// Where control groups are looked for, in file trees that stand for hosts we do not have, and on this host.
#include "sandbox/cgroup.hpp"

#include <gtest/gtest.h>

#include "scene.hpp"

namespace kgb::sandbox {
namespace {

namespace fs = std::filesystem;

// A host whose /proc/self we write.
class FakeHost : public ::testing::Test {
 protected:
  TempDir dir_ = TempDir::make("kgb-cgroup").value();

  CgroupPlaces find(const std::string& mountinfo, const std::string& cgroup) {
    EXPECT_TRUE(write_file(dir_.path() / "mountinfo", mountinfo).ok());
    EXPECT_TRUE(write_file(dir_.path() / "cgroup", cgroup).ok());
    return find_cgroup_places(dir_.path());
  }
};

TEST_F(FakeHost, GarbageGivesNoPlaces) {
  for (const std::string text : {"", "x", "1 2 3 - cgroup", "- - - - - - - - - -", ":::\n0::\n\n:"}) {
    const CgroupPlaces places = find(text, text);
    EXPECT_FALSE(places.memory());
    EXPECT_FALSE(places.pids());
  }
}

TEST_F(FakeHost, AFolderWhereGroupsHaveNoFilesIsNoPlace) {
  // As with a cgroup file system mounted read-only, or a plain folder.
  ASSERT_TRUE(make_folders(dir_.path() / "fs/own").ok());
  const std::string mount = "30 25 0:26 / " + (dir_.path() / "fs").native() + " rw - cgroup2 cgroup2 rw\n";
  EXPECT_TRUE(find(mount, "0::/own\n").v2.empty());
  EXPECT_EQ(list_folder(dir_.path() / "fs/own").value(), std::vector<std::string>{})
      << "the probe was left behind";
}

TEST(CgroupTest, CapsHoldAndTheGroupGoes) {
  const CgroupPlaces places = cgroup_places();
  if (!places.memory() || !places.pids()) GTEST_SKIP() << "needs writable control groups";
  const fs::path parent = places.v1_memory.empty() ? places.v2 : places.v1_memory;
  const auto mine = [&] {
    std::vector<std::string> names;
    const std::string prefix = "kgbench-" + std::to_string(::getpid()) + "-";
    for (const std::string& name : list_folder(parent).value()) {
      if (name.starts_with(prefix)) names.push_back(name);
    }
    return names.size();
  };
  const std::size_t before = mine();
  {
    auto group = Cgroup::make(places, std::uint64_t{64} << 20, 8);
    ASSERT_TRUE(group.ok()) << group.error().message;
    ASSERT_TRUE(group->has_value());
    EXPECT_TRUE((*group)->limits_memory());
    EXPECT_TRUE((*group)->limits_processes());
    EXPECT_FALSE((*group)->out_of_memory());
    EXPECT_EQ(mine(), before + 1);
    const pid_t pid = ::fork();
    if (pid == 0) {
      for (const int fd : (*group)->join_fds()) {
        if (::write(fd, "0", 1) != 1) ::_exit(1);
      }
      ::pause();
      ::_exit(0);
    }
    ::usleep(1000);
    // Whoever is still in it is killed, or the folder could not go.
    int status = 0;
    while (::waitpid(pid, &status, WNOHANG) == 0) {
      (*group)->kill_all();
      ::usleep(1000);
    }
    EXPECT_TRUE(WIFSIGNALED(status));
  }
  EXPECT_EQ(mine(), before);
}

}  // namespace
}  // namespace kgb::sandbox
